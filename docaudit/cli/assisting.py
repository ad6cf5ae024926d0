"""The command that serves docaudit to assistants: mcp. What it does is in docaudit.integrations.mcp."""

from __future__ import annotations

from pathlib import Path

import click

from docaudit.cli.common import debug_flag
from docaudit.errors import OptionError
from docaudit.options import AuditOptions

_PAGE_SECONDS: float = AuditOptions.model_fields["page_seconds"].default
_DOCUMENT_SECONDS: float = AuditOptions.model_fields["document_seconds"].default


@click.command()
@click.argument("folders", metavar="FOLDER...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--page-seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=_PAGE_SECONDS,
    help=f"Most time for one page that a client may ask for. [default: {_PAGE_SECONDS:g}]",
)
@click.option(
    "--document-seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=_DOCUMENT_SECONDS,
    help=f"Most time for a document that a client may ask for. [default: {_DOCUMENT_SECONDS:g}]",
)
@click.option(
    "--max-mb", type=click.IntRange(min=1), default=1024, help="MiB of the largest file. [default: 1024]"
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1, max=64),
    default=2,
    help="Calls that are worked on at the same time; others wait. [default: 2]",
)
@click.option(
    "--password",
    envvar="DOCAUDIT_PASSWORD",
    help="Password of encrypted documents. Better through the environment: DOCAUDIT_PASSWORD.",
)
@click.option(
    "--http",
    "port",
    metavar="PORT",
    type=click.IntRange(1, 65535),
    help="Serve http://127.0.0.1:PORT/mcp, to this machine alone, instead of standard input and output.",
)
@debug_flag
def mcp(
    folders: tuple[Path, ...],
    page_seconds: float,
    document_seconds: float,
    max_mb: int,
    jobs: int,
    password: str | None,
    port: int | None,
) -> int:
    """Serve an assistant the tools of docaudit, over its own protocol.

    The tools are audit, coverage, sweep, suggest and verify, for files below each FOLDER and no others.
    Speaks the Model Context Protocol over standard input and output (extra mcp). Exit code: 0 when the client has gone,
    2 error.
    """
    from docaudit.integrations.folders import AllowedFolders

    allowed = AllowedFolders(folders, max_mb=max_mb)
    try:
        from docaudit.integrations.mcp import Limits, serve
    except ImportError as error:
        raise OptionError(
            "the package mcp, which speaks the protocol, cannot be loaded",
            remedy='pip install ".[mcp]" in the folder of docaudit',
        ) from error
    serve(allowed, Limits(page_seconds, document_seconds, jobs, password), port=port)
    return 0


COMMANDS = (mcp,)
