"""The command line: a thin shell over the functions of the same names.

Everything that can go wrong ends here, in one line on stderr and an exit code: 2 for an error, 130 for Ctrl-C,
141 for a reader that closed the pipe. The codes 0, 1 and 3 belong to findings alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from docaudit.errors import DocauditError, ExitCode

INTERRUPTED = 130
BROKEN_PIPE = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; never raises for bad input.

    Args:
        arguments: Words after the program name; those of the process if None.
    """
    from docaudit.cli.app import State, app

    given = list(sys.argv[1:] if arguments is None else arguments)
    state = State()
    _keep_printable()
    try:
        code = _run(app, given, state)
        sys.stdout.flush()
        return code
    except DocauditError as error:
        return _fail(str(error))
    except click.ClickException as error:
        return _usage(error)
    except (KeyboardInterrupt, click.Abort):
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        _drop_stdout()
        return BROKEN_PIPE
    except Exception as error:  # noqa: BLE001 - the last door: whatever comes here must not look like a finding
        return _unexpected(error, state.debug)


def _run(app: click.Command, given: list[str], state: object) -> int:
    # Not app.main(): it exits with 1 on a closed pipe, and 1 is the finding "mentioned".
    try:
        with app.make_context("docaudit", given, obj=state) as context:
            result = app.invoke(context)
    except click.exceptions.Exit as left:
        return left.exit_code
    return int(result or 0)


def _fail(message: str, code: int = ExitCode.ERROR) -> int:
    one_line = " ".join(message.split())
    click.echo(f"docaudit: {one_line}", err=True)
    return int(code)


def _usage(error: click.ClickException) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return int(ExitCode.ERROR)
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.command_path if context else "docaudit"
    return _fail(f"{error.format_message().rstrip('.')} ({command} --help shows what there is)")


def _unexpected(error: Exception, debug: bool) -> int:
    if debug:
        import traceback

        traceback.print_exception(error)
    hint = "" if debug else " (a fault of docaudit; run again with --debug and report what it shows)"
    return _fail(f"unexpected {type(error).__name__}: {error}{hint}")


def _keep_printable() -> None:
    """Let text that the terminal's encoding lacks come out as an escape: it must not end an audit."""
    for stream in (sys.stdout, sys.stderr):
        # Streams that tests or hosts put in place may not be text wrappers.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _drop_stdout() -> None:
    """Point stdout nowhere: else Python complains about the closed pipe once more when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        # No real file behind stdout (a test's buffer): then nothing is flushed at the end either.
        return
