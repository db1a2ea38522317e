"""Progress of long work on stderr: a line that moves on a terminal, a line every five seconds elsewhere.

    specializing match ...  12,000 blocks executed, 340 operations left, 3.2 s

Nothing is shown during the first second, so that short work stays quiet.  Invariant: stdout is never written.
"""

from __future__ import annotations

import importlib
import sys
import time
from types import TracebackType
from typing import Any, Final

__all__ = ["Progress"]

QUIET: Final = 1.0
"""Seconds before anything is shown."""
PLAIN: Final = 5.0
"""Seconds between lines where there is no terminal."""


class Progress:
    """Called by the specializer now and then with how far it has come; also what an interrupted run reports."""

    def __init__(self, title: str, *, show: bool = True) -> None:
        self._title: Final = title
        self._show: Final = show
        self._terminal: Final = sys.stderr.isatty()
        self._started: Final = time.monotonic()
        self._last = self._started + QUIET - (0 if self._terminal else PLAIN)
        self._status: Any = None
        self.blocks = 0
        self.operations = 0
        self.place = ""

    def __call__(self, blocks: int, operations: int, place: str) -> None:
        self.blocks, self.operations, self.place = blocks, operations, place
        now = time.monotonic()
        if not self._show or now - self._started < QUIET:
            return
        if self._terminal:
            self._move()
        elif now - self._last >= PLAIN:
            self._last = now
            print(self.text(), file=sys.stderr, flush=True)

    def text(self) -> str:
        """How far the work has come."""
        seconds = time.monotonic() - self._started
        return (
            f"{self._title} ... {self.blocks:,} blocks executed, {self.operations:,} operations left,"
            f" {seconds:.1f} s{f', at {self.place}' if self.place else ''}"
        )

    def _move(self) -> None:
        if self._status is None:  # only long work on a terminal pays for loading this
            console = importlib.import_module("rich.console").Console(stderr=True)
            self._status = importlib.import_module("rich.status").Status(self.text(), console=console)
            self._status.start()
        self._status.update(self.text())

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()
