"""A file in one step: a reader sees the old text or the new one, never a part.

    write(Path("out.py"), text)     writes beside it, then renames

Invariant: an existing file stays as it was if anything fails; what is no plain file (a device, a pipe) is written to,
never replaced.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["write"]


def write(path: Path, text: str) -> Path:
    """Write `text` to `path`, following links; the path that was written.  Raises `OSError`."""
    if path.exists() and not path.is_file() and not path.is_dir():  # a device, a pipe, `/dev/stdout`
        with open(path, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        return path
    path = Path(os.path.realpath(path))
    if path.is_dir():
        raise IsADirectoryError(21, "it is a directory")
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(name).chmod(mode)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return path


def _umask() -> int:
    """The process's mask, which can be read only by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
