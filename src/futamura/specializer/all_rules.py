"""All modules that say what operations, functions and methods do: importing them enters that in the tables of rules and
models, which later ones of this list may extend.
"""

from __future__ import annotations

from futamura.specializer import (
    aggregates,
    asking,
    attributes,
    calls,
    classes,
    constants,
    containers,
    contexts,
    conversions,
    dunders,
    equality,
    functions,
    globals,
    imports,
    inherited,
    lists,
    long_lists,
    making,
    marks,
    matching,
    membership,
    namespaces,
    own_items,
    queues,
    real_iterators,
    reflection,
    searching,
    sets,
    showing,
    sorting,
    standing_in,
    texts,
    unpacking,
    views,
)

__all__ = [
    "aggregates", "asking", "attributes", "calls", "classes", "constants", "containers", "contexts", "conversions",
    "dunders", "equality", "functions", "globals", "imports", "inherited", "lists", "long_lists", "making", "marks",
    "matching", "membership", "namespaces", "own_items", "queues", "real_iterators", "reflection", "searching", "sets",
    "showing", "sorting", "standing_in", "texts", "unpacking", "views",
]  # fmt: skip
