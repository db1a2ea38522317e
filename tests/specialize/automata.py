"""Machines whose table is given: the same step as programs write it.

    rows_get(ROWS, "idle", ["start"])    gives "running"

Invariant: `rows_...` take a table of rows, `pairs_...` one whose keys are pairs.
"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def rows_get(table, start, events):
    state = start
    for e in events:
        state = table[state].get(e, state)
    return state


def rows_in(table, start, events):
    state = start
    for e in events:
        row = table[state]
        if e in row:
            state = row[e]
    return state


def rows_not_in(table, start, events):
    state = start
    for e in events:
        row = table[state]
        if e not in row:
            raise ValueError(state, e)
        state = row[e]
    return state


def rows_item(table, start, events):
    state = start
    for e in events:
        state = table[state][e]
    return state


def rows_try(table, start, events):
    state = start
    errors: list[object] = []
    for e in events:
        try:
            state = table[state][e]
        except KeyError as error:
            errors.append(error.args)
    return state, errors


def rows_none(table, start, events):
    state = start
    for e in events:
        new = table[state].get(e)
        if new is None:
            raise ValueError(f"no {e} in {state}")
        state = new
    return state


def rows_true(table, start, events):
    state = start
    for e in events:
        new = table[state].get(e)
        if not new:
            return state, e
        state = new
    return state


def rows_counted(table, start, events):
    state = start
    count = 0
    for e in events:
        state = table[state].get(e, state)
        if state == "running" or state == 1:
            count += 1
    return state, count


def rows_either(table, start, events):
    state = start
    for e in events:
        new = table[state].get(e)
        if new is None:
            if e == "stop":
                return state, e
            new = "idle" if e else None
        if new is None:
            return None
        state = new
    return state


def rows_until(table, start, events):
    state = start
    for e in events:
        state = table[state].get(e, state)
        if state == "paused":
            break
    return state


def rows_before(table, start, events):
    state = start
    before = None
    for e in events:
        before = state
        state = table[state].get(e, state)
    return before, state


def rows_changes(table, start, events):
    state = start
    count = 0
    for e in events:
        old, state = state, table[state].get(e, state)
        if old != state:
            count += 1
    return state, count


def rows_by_place(table, start, events):
    state = start
    events = list(events)
    i = 0
    while i < len(events):
        state = table[state].get(events[i], state)
        i += 1
    return state


def rows_reset(table, start, events):
    state = start
    for e in events:
        if e == "reset":
            state = start
            continue
        state = table[state].get(e, state)
    return state


def rows_of_states(table, start, events):
    state = start
    for e in events:
        state = table[state].get(state, state)
        state = table[state].get(e, state)
    return state


def pairs_item(table, start, events):
    state = start
    for e in events:
        state = table[(state, e)]
    return state


def pairs_try(table, start, events):
    state = start
    errors: list[object] = []
    for e in events:
        try:
            state = table[state, e]
        except KeyError as error:
            errors.append(error.args)
    return state, errors


def pairs_get(table, start, events):
    state = start
    for e in events:
        state = table.get((state, e), state)
    return state


def pairs_in(table, start, events):
    state = start
    for e in events:
        if (state, e) in table:
            state = table[(state, e)]
    return state


def pairs_named(table, start, events):
    state = start
    for e in events:
        key = (state, e)
        if key not in table:
            raise ValueError(key)
        state = table[key]
    return state


def pairs_named_where_found(table, start, events):
    state = start
    count = 0
    for e in events:
        key = state, e
        state = table.get(key, state)
        if e == "pause":
            return key, state
        count += 1
    return state, count


def pairs_none(table, start, events):
    state = start
    for e in events:
        new = table.get((state, e))
        if new is None:
            return "stuck", state, e
        state = new
    return state


def told_on_one_way(table, start, events):
    state = start
    for e in events:
        new = table[state].get(e)
        if e and new is None:
            return state
        state = new
    return state


def told_by_one_edge(table, start, events):
    state = start
    for e in events:
        state = table[state].get(e)
        if e == "x" or state is not None:
            continue
        return e
    return state


# -- what does not keep the table for itself


def writes_row(table, start, events):
    state = start
    for e in events:
        row = table[state]
        state = row.get(e, state)
        if e == "a":
            row["tick"] = "paused"
    return state


def writes_table(table, start, events):
    state = start
    for e in events:
        state = table[state].get(e, state)
        if e == "a":
            table["running"] = {"tick": "paused"}
    return state


def gives_table(table, start, events):
    state = start
    for e in events:
        state = table[state].get(e, state)
        if isinstance(e, list):
            e.append(table)
    return state


def gives_row(table, start, events):
    rows = []
    state = start
    for e in events:
        row = table[state]
        rows.append(row)
        state = row.get(e, state)
    return rows


def walks(table, start, events):
    state = start
    found = []
    for e in events:
        row = table[state]
        found.append([*row])
        state = row.get(e, state)
    return state, found


def asks_values(table, start, events):
    state = start
    last: list[object] = []
    for e in events:
        row = table[state]
        state = row.get(e, state)
        last = [*row.values()]
    return state, last


def stores(table, start, events, out):
    state = start
    for e in events:
        state = table[state].get(e, state)
        out[e] = None
    return state


def item(table, key):
    return table[key]
