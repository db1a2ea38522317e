"""The commands on the pages about the small languages print what the pages say.

    ```console
    $ futamura run examples/flow/power.flow x=2 y=5        the command is run from the root of the sources
    32                                                     what it prints must be this, to the letter
    ```

FUTAMURA_UPDATE_PAGES=1 writes what is printed.  Invariant: a page without commands is an error, and each example file
is named in the commands of the page beside it.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from futamura.cli.main import cli
from futamura.errors import FutamuraError

HOUSE = Path(__file__).resolve().parents[2]
PAGES = ["docs/flow.md", "docs/functional.md", "examples/flow/README.md", "examples/functional/README.md"]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def printed(command: str) -> str:
    program, *arguments = shlex.split(command)
    assert program == "futamura"
    done = CliRunner().invoke(cli, arguments, standalone_mode=False)
    if isinstance(done.exception, FutamuraError):
        return f"{done.exception}\n"
    assert done.exception is None, (command, done.exception)
    return done.output


def again(block: str) -> str:
    """A block with what its commands print now."""
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    return "".join([f"{line}\n{printed(line[2:])}" for line in commands])


@pytest.mark.parametrize("page", PAGES)
def test_commands_print_what_the_page_says(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HOUSE)
    text = (HOUSE / page).read_text(encoding="utf-8")
    assert BLOCK.search(text)
    wanted = BLOCK.sub(lambda found: f"```console\n{again(found.group(1))}```", text)
    if os.environ.get("FUTAMURA_UPDATE_PAGES"):
        (HOUSE / page).write_text(wanted, encoding="utf-8")
    else:
        assert text == wanted


@pytest.mark.parametrize("folder", ["flow", "functional"])
def test_each_program_is_on_its_page(folder: str) -> None:
    text = (HOUSE / "examples" / folder / "README.md").read_text(encoding="utf-8")
    for path in sorted((HOUSE / "examples" / folder).glob("*.f*l*")):
        assert f"specialize examples/{folder}/{path.name}" in text, path
