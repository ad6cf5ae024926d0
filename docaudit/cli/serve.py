"""The commands that serve other programs: mcp for assistants, serve over HTTP. The servers load when they run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from docaudit.cli.flags import debug_flag
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
        from docaudit.integrations.mcp import Limits
        from docaudit.integrations.mcp import serve as run
    except ImportError as error:
        raise OptionError(
            "the package mcp, which speaks the protocol, cannot be loaded",
            remedy='pip install ".[mcp]" in the folder of docaudit',
        ) from error
    run(allowed, Limits(page_seconds, document_seconds, jobs, password), port=port)
    return 0


_FOLDER = click.Path(path_type=Path)


@click.command()
@click.option(
    "--host", metavar="ADDRESS", help="Address to listen on. [default: 127.0.0.1, this machine only]"
)
@click.option("--port", type=int, help="Port to listen on; 0 takes a free one. [default: 8000]")
@click.option(
    "--root",
    metavar="DIR",
    multiple=True,
    type=_FOLDER,
    help="Folder whose documents clients may name instead of uploading them. Can be repeated.",
)
@click.option(
    "--tables", metavar="DIR", type=_FOLDER, help="Folder of concept tables that clients may choose."
)
@click.option(
    "--keep",
    metavar="DIR",
    type=_FOLDER,
    help="Keep each uploaded document with its result here; else none is kept.",
)
@click.option(
    "--allow-host",
    metavar="NAME",
    multiple=True,
    help="A further name under which clients may reach the server. Can be repeated.",
)
@click.option("--max-upload-mb", type=int, help="MiB of the largest document. [default: 100]")
@click.option("--max-table-mb", type=int, help="MiB of the largest concept table. [default: 5]")
@click.option("--max-pages", type=int, help="Pages of the longest document. [default: 2000]")
@click.option("--upload-seconds", type=float, help="Time limit for receiving one request. [default: 120]")
@click.option("--audit-seconds", type=float, help="Time limit for the work on one request. [default: 600]")
@click.option("--jobs", type=int, help="Requests that are worked on at the same time. [default: 2]")
@click.option(
    "--queue", type=int, help="Requests that may wait beside those; further ones get 503. [default: 8]"
)
@debug_flag
def serve(**flags: Any) -> int:
    """Serve audits over HTTP, with a page to try them.

    Needs the extra serve. There is no login: whoever reaches the address may audit, and read what lies below --root.
    Runs until it is interrupted. Exit code: 0 ended as told, 2 error.
    """
    try:
        from docaudit.integrations.http import ServeSettings
        from docaudit.integrations.http import serve as run
    except ImportError as error:
        raise OptionError(
            f"the package {error.name} cannot be loaded, and docaudit serve needs it",
            remedy='pip install ".[serve]" in the folder of docaudit',
        ) from error
    from pydantic import ValidationError

    given = {name: value for name, value in flags.items() if value not in (None, ())}
    try:
        settings = ServeSettings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        flag = str(first["loc"][0]).replace("_", "-")
        raise OptionError(
            f"--{flag}: {first['msg']}", remedy="docaudit serve --help says what it is"
        ) from error
    if not settings.only_this_machine:
        click.echo(
            f"docaudit: warning: {settings.host} can be reached from other machines, and there is no login "
            "(put a server that asks for one before it)",
            err=True,
        )

    def say(address: str) -> None:
        click.echo(f"docaudit: serving on {address} (Ctrl-C ends it)", err=True)

    run(settings, say)
    return 0
