"""The second stage, first half: order the blocks of a draft and find the variables that must be cells.

    x = 1                       x is assigned inside of the try extent (region 1) and live into its
    try: x = f()                handler: a cell
    except E: print(x)

Unreachable blocks are dropped, empty ones are jumped over, chains are joined; then two data-flow problems on
bit sets (definite assignment forwards, liveness backwards) answer the four questions of `docs/ir.md`.

Invariant: `Order.blocks` is a reverse postorder that begins with the entry.  Drafts of Python are reducible,
so an edge that does not go forwards in it is a back edge to a loop header that dominates its source.  Each
data-flow problem takes as many passes as loops are nested, plus two.
"""

from __future__ import annotations

from futamura.frontend.draft import Draft, DraftBlock, DraftEdge

__all__ = ["Order", "cell_variables", "order_blocks"]


class Order:
    """The reachable blocks in order, and for each region its ancestors (a bit set) and its handler."""

    __slots__ = ("ancestors", "blocks", "draft", "handlers")

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.blocks: list[DraftBlock] = []
        self.ancestors: list[int] = [1]
        self.handlers: list[DraftBlock | None] = [None]
        for number, region in enumerate(draft.regions[1:], 1):
            self.ancestors.append(self.ancestors[region.parent] | 1 << number)
            self.handlers.append(region.handler if region.kind == "try" else self.handlers[region.parent])


def order_blocks(draft: Draft) -> Order:
    """Thread, join and order the blocks; fill `preds` (handler edges included) and `id`."""
    order = Order(draft)
    blocks = _reverse_postorder(order)
    _count_predecessors(order, blocks)
    order.blocks = _join_chains(blocks)
    for number, block in enumerate(order.blocks):
        block.id = number
    _link_predecessors(order)
    return order


def _reverse_postorder(order: Order) -> list[DraftBlock]:
    """Depth first, handlers and later edges first, so that the result reads like the source."""
    found: list[DraftBlock] = []
    entry = order.draft.entry
    entry.id = 0
    stack = [(entry, iter(_successors(order, entry)))]
    while stack:
        block, successors = stack[-1]
        for successor in successors:
            if successor.id < 0:
                successor.id = 0
                stack.append((successor, iter(_successors(order, successor))))
                break
        else:
            stack.pop()
            found.append(block)
    found.reverse()
    return found


def _successors(order: Order, block: DraftBlock) -> list[DraftBlock]:
    """The successors in the order of the search, after the block's edges have been threaded."""
    assert block.terminator is not None
    kind, args, edges, node = block.terminator
    threaded = [_thread(order, block, edge) for edge in edges]
    if kind == "branch" and threaded[0][0] is threaded[1][0] and not threaded[0][1] and not threaded[1][1]:
        # Two equal edges would make the test vanish from the graph's shape: keep one empty block.
        threaded[0] = edges[0]
    block.terminator = (kind, args, threaded, node)
    found = [target for target, _ in reversed(threaded)]
    handler = order.handlers[block.region]
    if handler is not None:
        found.insert(0, handler)
    return found


def _thread(order: Order, block: DraftBlock, edge: DraftEdge) -> DraftEdge:
    """Where an edge leads behind empty blocks; regions are never entered that way, only left."""
    target, args = edge
    inside = order.ancestors[block.region]
    for _ in range(len(order.ancestors) + 64):  # an empty loop has no end
        if args or target.ops or target.params or target.terminator is None or target.terminator[0] != "jump":
            break
        ((following, following_args),) = target.terminator[2]
        if following_args or following is target or following.params:
            break
        if not inside >> target.region & 1 or not order.ancestors[target.region] >> following.region & 1:
            break
        target = following
    return target, args


def _count_predecessors(order: Order, blocks: list[DraftBlock]) -> None:
    """`values` is not in use yet: its length counts predecessors up to two."""
    for block in blocks:
        assert block.terminator is not None
        for target, _ in block.terminator[2]:
            if len(target.values) < 2:
                target.values.append(0)
        handler = order.handlers[block.region]
        if handler is not None:
            handler.values[:] = [0, 0]


def _join_chains(blocks: list[DraftBlock]) -> list[DraftBlock]:
    kept: list[DraftBlock] = []
    joined: set[int] = set()
    entry = blocks[0]
    for block in blocks:
        if id(block) in joined:
            continue
        kept.append(block)
        while True:
            assert block.terminator is not None
            if block.terminator[0] != "jump":
                break
            ((target, args),) = block.terminator[2]
            if args or target.params or target.region != block.region or len(target.values) != 1 or target is entry:
                break
            if target is block:
                break
            joined.add(id(target))
            _absorb(block, target)
    for block in kept:
        block.values = []
    return kept


def _absorb(block: DraftBlock, target: DraftBlock) -> None:
    """Append `target`, whose only predecessor is `block`."""
    block.ops += target.ops
    block.terminator = target.terminator
    block.use |= target.use & ~(block.defs | block.killed)
    block.merges.append(target.use & block.killed)
    block.defs = block.defs & ~target.killed | target.defs
    block.killed = block.killed & ~target.defs | target.killed
    block.writes |= target.writes


def _link_predecessors(order: Order) -> None:
    for block in order.blocks:
        assert block.terminator is not None
        for target, _ in block.terminator[2]:
            target.preds.append(block)
        handler = order.handlers[block.region]
        if handler is not None:
            handler.preds.append(block)


def cell_variables(order: Order, parameters: int) -> int:
    """The bit set of the variables that must be cells; fills `live` (live-in) of every block."""
    draft = order.draft
    _liveness(order)
    cells = draft.cells | draft.captured | _maybe_unbound(order, parameters)
    for block in order.blocks:
        for unbound in block.merges:
            cells |= unbound
        block.merges = []
    return cells | _escaping_writes(order)


def _liveness(order: Order) -> None:
    backwards = order.blocks[::-1]
    handlers = order.handlers
    for block in backwards:
        block.live = block.use
    changed = True
    while changed:
        changed = False
        for block in backwards:
            assert block.terminator is not None
            live = 0
            for target, _ in block.terminator[2]:
                live |= target.live
            live = block.use | live & ~(block.defs | block.killed)
            handler = handlers[block.region]
            if handler is not None:
                live |= handler.live
            if live != block.live:
                block.live = live
                changed = True


def _maybe_unbound(order: Order, parameters: int) -> int:
    """Variables with a use that they may reach unbound."""
    blocks, handlers = order.blocks, order.handlers
    bound_in = [-1] * len(blocks)
    bound_out = [-1] * len(blocks)
    handler_ids = {id(handler) for handler in handlers if handler is not None}
    changed = True
    while changed:
        changed = False
        for block in blocks:
            number = block.id
            bound = (1 << parameters) - 1 if number == 0 else -1
            source = bound_in if id(block) in handler_ids else bound_out
            for pred in block.preds:
                bound &= source[pred.id]
            out = bound & ~block.killed | block.defs
            if bound != bound_in[number] or out != bound_out[number]:
                bound_in[number] = bound
                bound_out[number] = out
                changed = True
    found = 0
    for block in blocks:
        found |= block.use & ~bound_in[block.id]
    return found


def _escaping_writes(order: Order) -> int:
    """Variables assigned in a protected extent and live into its handler, or in a `finally` body and live after."""
    regions = order.draft.regions
    if len(regions) == 1:
        return 0
    writes = [0] * len(regions)
    live_after = [0] * len(regions)
    for block in order.blocks:
        number = block.region
        assert block.terminator is not None
        while number:
            region = regions[number]
            if region.kind == "try":
                writes[number] |= block.writes
            elif regions[region.of].flavor == "finally":
                # A clean-up's own facts are kept under its own number.
                writes[number] |= block.writes
                for target, _ in block.terminator[2]:
                    if not order.ancestors[target.region] >> number & 1:
                        live_after[region.of] |= target.live
            number = region.parent
    cells = 0
    for number, region in enumerate(regions):
        if region.kind == "try" and region.handler is not None:
            cells |= writes[number] & region.handler.live
        elif region.kind in ("copy", "except") and regions[region.of].flavor == "finally":
            cells |= writes[number] & live_after[region.of]
    return cells
