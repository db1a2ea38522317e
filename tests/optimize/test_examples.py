"""Each transformation on the example of the article that describes it, and on at least three more.

    "constants materialized"    (define len (vector-length v))   ->   constant_length and three more golden cases

The goldens compare texts, and run original and result; here stands that the pass did something in each of them.
Invariant: `TRANSFORMATIONS` names goldens that exist, and each pass but two changes at least four.
"""

from __future__ import annotations

import collections
import functools

import pytest

from futamura.frontend.python import lower
from futamura.optimize.pipeline import PASSES, optimize
from tests import golden

LEAST = 4
TRANSFORMATIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "constants materialized": (
        "typefold",
        ("constant_length", "constant_of_a_test", "constant_around_a_loop", "constant_of_a_class"),
    ),
    "items and lengths of what is made here": (
        "typefold",
        ("items_of_a_list_built_in_a_loop", "items_that_are_texts", "items_appended_in_the_round",
         "length_of_a_tuple"),
    ),
    "branches folded": (
        "typefold",
        ("branch_on_ranges", "branch_on_a_masked_number", "branch_on_a_type", "branch_in_a_loop"),
    ),
    "strength reduced": (
        "typefold",
        ("strength_of_neutral_numbers", "strength_of_equal_operands", "strength_of_texts",
         "strength_of_masks_and_shifts"),
    ),
    "loops peeled": (
        "peel",
        ("peel_two_calls", "peel_with_a_value_that_leaves", "peel_takes_what_raises_behind_a_call",
         "peel_joins_at_several_exits"),
    ),
    "loops split": (
        "split",
        ("split_a_sum_of_neighbours", "split_where_rounds_end_early", "split_what_has_handlers",
         "split_from_below_zero"),
    ),
    "code moved out of loops": (
        "licm",
        ("licm_of_what_is_not_always_executed", "licm_invariant", "licm_first_of_a_loop_that_always_runs",
         "licm_takes_what_is_not_always_executed"),
    ),
    "loops inverted": (
        "invert",
        ("inversion_of_a_counter", "inversion_in_a_loop", "invert_alone", "invert_joins_what_the_test_makes"),
    ),
    "common subexpressions": (
        "cse",
        ("cse_of_a_field", "cse_arithmetic", "cse_methods_of_strings", "store_seen_by_handler"),
    ),
    "tests decided by equal ones": (
        "cse",
        ("cse_of_a_test_of_a_field", "cse_of_the_tests_of_a_record", "cse_of_a_test_and_its_opposite",
         "cse_predicate"),
    ),
    "scalar replacement": (
        "scalars",
        ("scalars_of_a_pair", "scalars_of_a_cell_that_is_set", "scalars_of_a_record",
         "scalars_of_a_list_of_fixed_places"),
    ),
    "dead stores": (
        "dead-stores",
        ("stored_over_in_a_list", "stored_and_never_read", "stored_on_both_ways", "private_list"),
    ),
    "dead code and parameters": (
        "dce",
        ("parameters_that_only_keep_each_other", "dce_loop", "constant_of_a_class", "constant_length"),
    ),
    "contification": (
        "contify",
        ("contify_the_steps_of_a_machine", "contify_a_loop", "contify_two_that_call_each_other",
         "contify_calls_that_go_on_at_one_place"),
    ),
    "inlining": (
        "inline",
        ("inline_of_small_functions", "inline_into_a_variable_of_the_caller", "inline_under_handlers",
         "operands_of_an_inlined_function"),
    ),
    "predicates propagated into closures": (
        "closure-facts",
        ("closure_facts_of_a_test", "closure_facts_of_a_type", "closure_facts_of_several_places",
         "closure_facts_of_none", "closure_facts_of_a_known_value"),
    ),
    "jump threading": (
        "thread",
        ("thread_a_loop_that_ends_by_a_flag", "thread_a_flag", "thread_what_is_none", "thread_numbers"),
    ),
    "representations": (
        "representations",
        ("representations_of_a_counter", "representations_of_floats", "representations_of_bools",
         "representations_of_bytes"),
    ),
    "algebra across steps": (
        "algebra",
        ("algebra_of_an_index", "algebra_mask", "algebra_strings", "private_list"),
    ),
    "loops that are sums": (
        "closed-forms",
        ("closed_form_of_a_sum", "closed_form_of_steps_of_three", "closed_form_in_a_list",
         "closed_form_that_needs_the_number", "closed_form_at_a_place_out_of_range", "closed_form_of_both_loops"),
    ),
    "tests shared in a tree": (
        "decisions",
        ("decisions_of_numbers", "decisions_rules_become_a_tree", "decisions_in_a_loop",
         "decisions_behind_a_handler"),
    ),
    "library calls merged": (
        "fields",
        ("fields_of_a_header", "fields_behind_a_test_of_the_length", "fields_at_a_base",
         "fields_that_say_where_the_next_is"),
    ),
    "containers with what is put into them": (
        "displays",
        ("displays_fields_of_a_record", "displays_in_a_loop", "displays_appended", "displays_nested"),
    ),
    "containers of constants": (
        "tables",
        ("tables_that_are_asked", "tables_with_a_method", "tables_in_a_loop", "tables_that_come_together"),
    ),
    "partially dead work sunk": (
        "sink",
        ("sink_to_the_way_that_needs_it", "sink_to_several_ways", "sink_onto_an_edge", "sink_the_number_of_an_item"),
    ),
}  # fmt: skip
"""By its name: the pass, and the golden cases, that of an article first where one has an example in code."""


@functools.cache
def changed() -> dict[str, set[str]]:
    """For each pass the golden cases that it changes, all of them executed."""
    found: dict[str, set[str]] = collections.defaultdict(set)
    for path in sorted(golden.CASES.glob("optimizer*.test")):
        for case in golden.read_cases(path):
            if not case.applies or not case.runs or not golden.passes_of(case):
                continue
            function, _ = golden.targets_of(golden.world(case), case.target)
            known, given = golden.promises_of(function)
            _, report = optimize(lower(function).program, golden.passes_of(case), known=known, given=given)
            for name, times in report.changed.items():
                if times:
                    found[name].add(case.name)
    return found


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_transformation_has_examples(name: str) -> None:
    owner, cases = TRANSFORMATIONS[name]
    assert len(cases) >= LEAST
    assert sorted(set(cases) - changed()[owner]) == []


OF_RESIDUALS = ("prune", "handlers", "rethrown", "spares")


@pytest.mark.parametrize("name", [name for name in PASSES if name not in OF_RESIDUALS])
def test_pass_changes_goldens(name: str) -> None:
    """`prune` takes away what a verified function does not have, it is for graphs of other languages; the others are
    for residuals (`tests/specialize/test_passed_by.py`, `test_context_managers.py`, `test_spares.py`)."""
    assert len(changed()[name]) >= LEAST, sorted(changed()[name])
