"""A state machine as a table: the states of a connection, and what its events lead to.

    by_rows(ROWS, "closed", ["listen", "syn", "ack"])     gives "established"
    by_pairs(PAIRS, "closed", ["listen", "syn", "ack"])   the same, of a table {("closed", "listen"): "listening", ...}
    by_members(MEMBERS, State.CLOSED, [...])              the same, with members of an enumeration as states

Invariant: an event that a state does not know changes nothing.
"""

import enum
import random

ROWS = {
    "closed": {"listen": "listening", "connect": "syn_sent"},
    "listening": {"syn": "syn_received", "send": "syn_sent", "close": "closed"},
    "syn_sent": {"syn": "syn_received", "syn_ack": "established", "close": "closed"},
    "syn_received": {"ack": "established", "reset": "listening", "close": "fin_wait"},
    "established": {"data": "established", "fin": "close_wait", "close": "fin_wait", "reset": "closed"},
    "fin_wait": {"ack": "closed", "fin": "closed", "reset": "closed"},
    "close_wait": {"close": "closed", "data": "close_wait", "reset": "closed"},
}
PAIRS = {(state, event): after for state, row in ROWS.items() for event, after in row.items()}


class State(enum.Enum):
    CLOSED = "closed"
    LISTENING = "listening"
    SYN_SENT = "syn_sent"
    SYN_RECEIVED = "syn_received"
    ESTABLISHED = "established"
    FIN_WAIT = "fin_wait"
    CLOSE_WAIT = "close_wait"


MEMBERS = {State(state): {event: State(after) for event, after in row.items()} for state, row in ROWS.items()}


def by_rows(table, start, events):
    state = start
    for event in events:
        state = table[state].get(event, state)
    return state


def by_pairs(table, start, events):
    state = start
    for event in events:
        if (state, event) in table:
            state = table[state, event]
    return state


def by_members(table, start, events):
    state = start
    for event in events:
        row = table[state]
        if event in row:
            state = row[event]
    return state


def sample(count, seed):
    """Events of which most are known where they come."""
    choose = random.Random(seed)
    names = sorted({event for row in ROWS.values() for event in row})
    state, events = "closed", []
    for _ in range(count):
        event = choose.choice(sorted(ROWS[state]) if choose.random() < 0.8 else names)
        events.append(event)
        state = ROWS[state].get(event, state)
    return events
