"""The command line: a thin shell over the functions of the same names.

Everything that can go wrong ends here, in one line on stderr and an exit code: 2 for an error, 130 for Ctrl-C,
141 for a reader that closed the pipe. The codes 0, 1 and 3 belong to findings alone.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

import click

from docaudit.errors import DocauditError, ExitCode

INTERRUPTED = 130
BROKEN_PIPE = 141
_OUTPUT_ERRORS = frozenset({errno.ENOSPC, errno.EBADF, errno.EIO, errno.EFBIG, errno.EDQUOT})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; never raises for bad input.

    Args:
        arguments: Words after the program name; those of the process if None.
    """
    from docaudit.cli.app import app
    from docaudit.cli.flags import State

    given = list(sys.argv[1:] if arguments is None else arguments)
    state = State()
    _keep_printable()
    if _open_streams():
        return _fail("standard output is closed (send it to a file or to /dev/null)")
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
    except OSError as error:
        # Files of the user are read and written under errors of our own; what is left is the output itself.
        if state.debug or error.errno not in _OUTPUT_ERRORS:
            return _unexpected(error, state.debug)
        _drop_stdout()
        return _fail(f"standard output cannot be written: {error.strerror} (make room, or send it elsewhere)")
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


def _open_streams() -> bool:
    """Put nothing behind standard streams that are closed, so that no other file takes their number.

    Returns whether standard output was closed: then nobody would see the result.
    """
    closed = sys.stdout is None
    for handle in range(3):
        try:
            os.fstat(handle)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    sys.stderr = sys.stderr or os.fdopen(os.dup(2), "w")
    return closed


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
