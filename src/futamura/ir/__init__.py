"""The intermediate representation: operators, graph, builder, text, verifier, interpreter."""
