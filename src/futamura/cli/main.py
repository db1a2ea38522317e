"""The entry of the command line: which commands exist, and what each way of failing looks like.

    $ futamura ir no_such.py:f
    Usage: futamura ir [OPTIONS] TARGET
    Error: there is no file 'no_such.py'                                  (exit code 2)

Exit codes: 0 done, 1 a finding (a diagnostic says why), 2 bad usage, 3 a budget ran out, 4 an internal error (a block
to put into a bug report), 130 interrupted.  Invariant: no way out prints a traceback, except inside that block; and the
evaluator is loaded only when a command that needs it runs.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn, cast

import click

import futamura
from futamura import errors

__all__ = ["DONE", "FINDINGS", "INTERNAL", "INTERRUPTED", "USAGE", "cli", "main"]

DONE, FINDINGS, USAGE, INTERNAL, INTERRUPTED = 0, 1, 2, 4, 130

COMMANDS = {
    "bta": "Show what of TARGET can be computed early, and why the rest cannot.",
    "check": "Compare the residual of TARGET with the original.",
    "compile": "Compile PROGRAM by specializing the interpreter TARGET to it.",
    "doctor": "Look at the installation.",
    "explain": "Explain a residual line by line, or a diagnostic code.",
    "specialize": "Print the residual of TARGET for some of its inputs.",
    "opt": "Run passes of the optimizer over TARGET.",
    "ir": "Print the intermediate representation of TARGET.",
    "roundtrip": "Print TARGET as it comes back from the intermediate representation.",
    "run": "Run a program of the flow-graph or the functional language.",
}
MODULES = {
    "bta": "futamura.cli.bta",
    "check": "futamura.cli.checking",
    "compile": "futamura.cli.specializing",
    "doctor": "futamura.cli.doctor",
    "explain": "futamura.cli.explaining",
    "opt": "futamura.cli.optimizing",
    "run": "futamura.cli.flow",
    "specialize": "futamura.cli.specializing",
}
"""Where a command lives that is not in `futamura.cli.commands`."""
NAMES = {"compile": "compile_program"}
"""What a command is called there, if not by its own name."""
BY_SUFFIX = {
    ("specialize", ".flow"): "futamura.cli.flow",
    ("specialize", ".fl"): "futamura.cli.flow",
    ("ir", ".flow"): "futamura.cli.flow",
    ("ir", ".fl"): "futamura.cli.flow",
}
"""Commands of the same name for programs of another language, told by the end of an argument."""


class LazyGroup(click.Group):
    """A group whose commands are attributes of `futamura.cli.commands`, imported when one is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(MODULES.get(cmd_name, "futamura.cli.commands"))
        return cast(click.Command, getattr(module, NAMES.get(cmd_name, cmd_name)))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that `args` begin with; the suffix of a program may say which one of a name is meant."""
        for argument in args[1:]:
            module = BY_SUFFIX.get((args[0], os.path.splitext(argument)[1]))
            if module is not None:
                return args[0], cast(click.Command, getattr(importlib.import_module(module), args[0])), args[1:]
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in `--help`, which needs no command loaded."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(futamura.__version__, prog_name="futamura")
def cli() -> None:
    """A partial evaluator for Python.

    TARGET is path.py:function, path.py:Class.method or package.module:function.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code."""
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        result = cli.main(arguments, prog_name="futamura", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return USAGE
    except click.ClickException as error:
        error.show()
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        _silence_output()
        return FINDINGS
    except errors.FutamuraError as error:
        click.echo(_coloured(errors.render(error.diagnostic)), err=True)
        return FINDINGS
    except Exception as error:
        click.echo(_report(error, arguments), err=True)
        return INTERNAL
    return result if isinstance(result, int) else DONE


def _silence_output() -> None:
    """The reader has gone: whatever the interpreter still flushes at its end goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _coloured(text: str) -> str:
    """The headline in bold red.  `click.echo` takes the colour out again where the stream is not a terminal."""
    if os.environ.get("NO_COLOR"):
        return text
    head, newline, rest = text.partition("\n")
    return click.style(head, fg="red", bold=True) + newline + rest


def _report(error: BaseException, arguments: Sequence[str] | None) -> str:
    """All that a report of a bug needs, in one block that can be copied."""
    command = " ".join(["futamura", *(sys.argv[1:] if arguments is None else arguments)])
    lines = [
        f"internal error: {type(error).__name__}: {error}",
        "",
        "This is a bug in futamura, not in your program.  Please report it with the block below.",
        "-" * 72,
        f"futamura {futamura.__version__}, {platform.python_implementation()} {platform.python_version()},"
        f" {platform.platform()}",
        f"command: {command}",
        "",
        "".join(traceback.format_exception(error)).rstrip(),
        "-" * 72,
    ]
    return "\n".join(lines)
