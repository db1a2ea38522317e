"""Speed: of emitted code against the original (`roundtrip_speed`), of the evaluator itself (`throughput`)."""
