"""The command line as a user meets it: output, messages, exit codes.

    futamura ir missing.py:f    ->    exit code 2, one sentence on stderr, no traceback

Invariant: every command runs in a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parent.parent
SHOP = """
import functools

class Shop:
    class Till:
        def close(self, cash):
            return cash + 1

    @staticmethod
    def price(n):
        return n * 2

    @property
    def name(self):
        return "shop"

    def __secret(self):
        return 1

@functools.lru_cache
def cached(n):
    return n + 1

def plain(n):
    total = 0
    for i in range(n):
        total += i
    return total

async def later():
    yield 1

constant = 7
builtin = len
"""


def command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(HOUSE / "src"), "PYTHONIOENCODING": "utf-8"}
    line = [sys.executable, "-m", "futamura", *arguments]
    return subprocess.run(line, cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, encoding="utf-8", check=False)  # fmt: skip


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(SHOP)
    package = tmp_path / "store"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "shelf.py").write_text("from . import stock\ndef total(a):\n    return a + stock.COUNT\n")
    (package / "stock.py").write_text("COUNT = 3\n")
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "leaves.py").write_text("raise SystemExit(3)\n")
    (tmp_path / "wrong.py").write_text("def f(:\n")
    return tmp_path


@pytest.mark.parametrize("target", [
    "shop.py:plain", "shop.py:Shop.price", "shop.py:Shop.Till.close", "shop.py:Shop.name", "shop.py:Shop.__secret",
    "shop.py:cached",
    "shop:plain", "store.shelf:total", "store/shelf.py:total", "textwrap:TextWrapper.wrap",
    "json.decoder:JSONDecoder.decode",
])  # fmt: skip
def test_targets(shop: Path, target: str) -> None:
    name = target.rpartition(":")[2].rpartition(".")[2].removeprefix("__")
    source = command("roundtrip", target, cwd=shop)
    assert (source.returncode, source.stderr) == (0, "")
    assert f"{name}(" in source.stdout
    compile(source.stdout, "out.py", "exec")
    representation = command("ir", target, cwd=shop)
    assert (representation.returncode, representation.stderr) == (0, "")
    assert "func" in representation.stdout


@pytest.mark.parametrize(("arguments", "message"), [
    (["ir"], "Missing argument"),
    (["ir", "shop.py"], "is not a target"),
    (["ir", "shop.py:"], "is not a target"),
    (["ir", "none.py:f"], "there is no file 'none.py'"),
    (["ir", "store:f"], "'store' has no 'f'"),
    (["ir", "store/:f"], "is not a file"),
    (["ir", "nowhere.at.all:f"], "there is no module 'nowhere.at.all'"),
    (["ir", "shop.py:plane"], "did you mean 'plain'?"),
    (["ir", "shop.py:Shop.prize"], "did you mean 'price'?"),
    (["ir", "shop.py:Shop"], "is a class: name one of its methods"),
    (["ir", "shop.py:constant"], "is a int, not a function"),
    (["ir", "shop.py:plain.inner"], "'plain'"),
    (["ir", "shop.py:plain.<locals>.inner"], "name the enclosing function"),
    (["ir", "broken.py:f"], "cannot be imported: ZeroDivisionError: division by zero"),
    (["ir", "leaves.py:f"], "cannot be imported: SystemExit: 3"),
    (["ir", "wrong.py:f"], "cannot be imported: SyntaxError"),
    (["ir", "broken:f"], "cannot be imported: ZeroDivisionError"),
    (["roundtrip", "shop.py:plain", "-o", "no/such/folder.py"], "cannot write"),
    (["roundtrip", "shop.py:plain", "-o", "store"], "cannot write"),
    (["dance"], "No such command"),
    (["ir", "--loud", "shop.py:plain"], "No such option"),
])  # fmt: skip
def test_bad_usage(shop: Path, arguments: list[str], message: str) -> None:
    done = command(*arguments, cwd=shop)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\nError: ") == 1


@pytest.mark.parametrize("target", ["shop.py:later", "shop.py:builtin"])
def test_refused(shop: Path, target: str) -> None:
    done = command("ir", target, cwd=shop)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("error[FT")
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stderr


def test_output_file_is_replaced_in_one_step(shop: Path) -> None:
    file = shop / "out.py"
    file.write_text("old")
    file.chmod(0o640)
    done = command("roundtrip", "shop.py:plain", "-o", "out.py", cwd=shop)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "def plain(n):" in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in shop.iterdir() if path.name.endswith(".tmp")) == []


def test_a_failed_command_leaves_the_file_alone(shop: Path) -> None:
    file = shop / "out.py"
    file.write_text("old")
    assert command("roundtrip", "shop.py:later", "-o", "out.py", cwd=shop).returncode == 1
    assert file.read_text() == "old"


def test_internal_errors_give_a_block_for_a_report(shop: Path) -> None:
    program = (
        "import futamura.cli.commands as c; c.print_program = lambda program: 1 // 0\n"
        "from futamura.cli.main import main; main()"
    )
    environment = {**os.environ, "PYTHONPATH": str(HOUSE / "src")}
    done = subprocess.run([sys.executable, "-c", program, "ir", "shop.py:plain"], cwd=shop, env=environment,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 4
    assert done.stderr.startswith("internal error: ZeroDivisionError")
    assert "command: futamura ir shop.py:plain" in done.stderr
    assert "bug in futamura" in done.stderr


def test_help_and_version(tmp_path: Path) -> None:
    done = command("--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "roundtrip" in done.stdout and "ir" in done.stdout
    assert command("--version", cwd=tmp_path).stdout.startswith("futamura")
    assert command("ir", "--help", cwd=tmp_path).returncode == 0
    assert command(cwd=tmp_path).returncode == 2


def test_a_reader_that_goes_away(shop: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(HOUSE / "src")}
    line = f"{sys.executable} -m futamura ir textwrap:TextWrapper._wrap_chunks | head -n 1"
    done = subprocess.run(line, shell=True, cwd=shop, env=environment, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr
