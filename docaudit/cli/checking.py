"""The commands that check a saved justification: verify, compare. What they do is in docaudit.cli.checked."""

from __future__ import annotations

from pathlib import Path

import click

from docaudit.cli.common import debug_flag, json_flag, retrieved_flag

_password_flag = click.option(
    "--password",
    metavar="TEXT",
    envvar="DOCAUDIT_PASSWORD",
    help="Password of an encrypted document. Better through the environment: DOCAUDIT_PASSWORD.",
)


@click.command(short_help="Was a saved justification changed? Is it repeated?")
@click.argument("saved", metavar="JSON", type=click.Path(path_type=Path))
@click.argument("doc", metavar="DOC", type=click.Path(path_type=Path))
@_password_flag
@retrieved_flag
@json_flag
@debug_flag
def verify(saved: Path, doc: Path, password: str | None, retrieved: Path | None, as_json: bool) -> int:
    """Check a saved justification against its document: was it changed, and does the audit give the same again?

    DOC is the PDF; a folder that `docaudit parse` wrote is searched again but not read again. Exit code: 0 verified, 1
    something differs, 2 error.
    """
    from docaudit.cli import checked

    return checked.verify(saved, doc, password, retrieved, as_json=as_json)


@click.command(short_help="Which absences still hold in a new edition?")
@click.argument("saved", metavar="OLD_JSON...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.argument("doc", metavar="NEW_DOC", type=click.Path(path_type=Path))
@_password_flag
@json_flag
@debug_flag
def compare(saved: tuple[Path, ...], doc: Path, password: str | None, as_json: bool) -> int:
    """Audit a new edition as older ones were audited: which absences still hold, and which are voided?

    Exit code: 0 every absence holds, 1 one is voided, 3 one cannot be established any more, 2 error.
    """
    from docaudit.cli import checked

    return checked.compare(saved, doc, password, as_json=as_json)


COMMANDS = (verify, compare)
