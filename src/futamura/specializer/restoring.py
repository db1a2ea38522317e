"""What the code wrote to attributes of static objects is stored back before anybody could look at it.

    vm.pc = 7; print(x)        ->  the store, then the call: `print` may run code that looks at vm.pc
    vm.pc = 7; y = [0] * n     ->  try: y = [0] * n
                                   except BaseException: vm.pc = 7; raise

An operation that may raise but runs no code of the program (`confined`) is followed by nobody who could look, unless
its exception leaves: the way of the exception alone stores back, and all that is known stays known.

Invariant: the values that a block of this kind stores are defined before the first operation that it protects.
"""

from __future__ import annotations

from typing import Final

from futamura.specializer.emitting import Emitter
from futamura.specializer.owned import disown
from futamura.specializer.purity import MISSING, own_attribute
from futamura.specializer.residual import ResidualBlock, ResidualEnd, ResidualOperation
from futamura.specializer.state import Extent, State
from futamura.specializer.values import AbstractValue, Known, Virtual
from futamura.specializer.world import World

__all__ = ["hold", "is_written", "restoring_block", "same_contents", "store_back", "store_new", "store_what_is_read"]

_NO_REGION: Final = -1
"""The source region of a try statement that the source does not have."""


def hold(state: State, world: World, place: tuple[int, str], content: tuple[AbstractValue, bool]) -> None:
    """What an attribute of a static object holds from here on, and must it be stored back?  Those that the objects have
    come first, in one order for all states; the others will get their places in the order of the first writes."""
    late = place not in state.overlays
    state.overlays[place] = content
    if late and len(state.overlays) > 1:
        there = {one for one in state.overlays if own_attribute(world.by_serial(one[0]), one[1]) is not MISSING}
        state.overlays = {
            one: state.overlays[one] for one in (*sorted(there), *(one for one in state.overlays if one not in there))
        }


def is_written(state: State) -> bool:
    """Is there an attribute of a static object that must still be stored back?"""
    return any(dirty for _, dirty in state.overlays.values())


def store_back(m: Emitter, world: World) -> None:
    """Emit the stores of what was written, of attributes that are new in the order of the first writes: they get their
    places in the object's `__dict__` so.  From here on nothing is known of it."""
    overlays = m.state.overlays
    disown(m.state)
    for place, (content, dirty) in overlays.items():
        if dirty:
            lifted = (m.lift(content), m.lift(Known(world.by_serial(place[0]))))
            m.state.owned -= {lifted[0]}
            m.block.ops.append(ResidualOperation("setattr", lifted, place[1], (), m.span))
    overlays.clear()


def store_what_is_read(m: Emitter, world: World, target: AbstractValue, name: str) -> None:
    """The object itself is asked for this attribute next: if that is kept aside, all is stored back."""
    if m.state.overlays and type(target) is Known and (world.serial(target.value), name) in m.state.overlays:
        m.observe()


def store_new(m: Emitter, world: World, holder: object) -> list[ResidualOperation]:
    """Emit stores of attributes that this object has not had, for the place that the next one gets is behind them; they
    will be stored back as if there were none of these."""
    number, stores = world.serial(holder), []
    disown(m.state)
    for place, (content, dirty) in m.state.overlays.items():
        if dirty and place[0] == number and own_attribute(holder, place[1]) is MISSING:
            lifted = (m.lift(content), m.lift(Known(holder)))
            m.state.owned -= {lifted[0]}
            stores.append(ResidualOperation("setattr", lifted, place[1], (), m.span))
    m.block.ops.extend(stores)
    return stores


def restoring_block(m: Emitter, world: World, context: tuple[Extent, ...], uid: int) -> ResidualBlock:
    """The handler that stores back what is written now, and raises again; the block that runs gets its region."""
    disown(m.state)
    protected, state = m.block, m.state
    protected.context = (*context, Extent(_NO_REGION, "try", uid))
    protected.restored = state.copy()
    caught = m.residual_value()
    handler = ResidualBlock(params=[caught], place=(*context, Extent(_NO_REGION, "except", uid)))
    m.block, m.state = handler, state.copy()
    store_back(m, world)
    handler.end = ResidualEnd("reraise", (caught,), (), None, m.span, state.top.facts)
    m.block, m.state = protected, state
    return handler


def same_contents(old: State, new: State) -> bool:
    """Would both states store the same back?"""
    if list(old.overlays.items()) != list(new.overlays.items()):
        return False
    for content, _ in new.overlays.values():
        for leaf in new.leaves(content):
            if type(leaf) is Virtual and old.heap.get(leaf.oid) != new.heap[leaf.oid]:
                return False
    return True
