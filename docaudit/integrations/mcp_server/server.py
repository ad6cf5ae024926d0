"""The server itself: tools with what a model must know before it calls one, over stdio or HTTP."""

from __future__ import annotations

import socket
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations
from pydantic import ValidationError

import docaudit
from docaudit.errors import OptionError
from docaudit.integrations.mcp_server.asked import Limits
from docaudit.integrations.mcp_server.refusals import faults, refusal
from docaudit.integrations.mcp_server.tools import Tools
from docaudit.integrations.mcp_server.transport import over_http, over_pipes
from docaudit.roots import Roots

LOOPBACK = "127.0.0.1"
_INSTRUCTIONS = """\
docaudit shows that something is not in a PDF, or says exactly why that cannot be shown. Before you tell a user that a
document does not mention something, call audit and read its finding:
absent_within_coverage: you may say so, within the pages and the words that were searched.
not_established: you may NOT say so. Say what was not read or searched (unmet), and what would settle it.
mentioned: it is there; read the hits.
Never say that something "does not exist" because a search had no hit. A tool error is no finding.
Usual way: list_files; suggest, to see which words a table lacks (a person decides); audit; sweep to read all hits.
The folders that can be read: {folders}."""


def build_server(roots: Roots, limits: Limits | None = None) -> MCPServer:
    """A server with all tools, for any transport."""
    tools = Tools(roots, limits or Limits())
    return MCPServer(
        "docaudit",
        title="docaudit: is it really not in this document?",
        version=docaudit.__version__,
        instructions=_INSTRUCTIONS.format(folders=", ".join(roots.names)),
        tools=[
            _tool(function)
            for function in (
                tools.list_files,
                tools.audit,
                tools.coverage,
                tools.sweep,
                tools.suggest,
                tools.verify,
            )
        ],
        log_level="WARNING",
    )


def serve(roots: Roots, limits: Limits, *, port: int | None = None) -> None:
    """Serve until the client goes: over standard input and output, or over HTTP to this machine alone.

    Raises OptionError if the port is taken.
    """
    server = build_server(roots, limits)
    if port is None:
        over_pipes(server)
        return
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as error:  # the library would end with the exit code of a finding
            raise OptionError(
                f"port {port} cannot be taken: {error.strerror or error}", remedy="name another one"
            ) from error
    over_http(server, LOOPBACK, port)


class _Tool(Tool):
    """Refuses arguments in our words: those of the library repeat what was sent, a password too."""

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:
        try:
            return await super().run(arguments, context, convert_result)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(refusal(faults(error.__cause__))) from None
            raise


def _tool(function: object) -> Tool:
    assert callable(function)
    tool = _Tool.from_function(
        function,
        annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
    )
    # An argument that is not known would be dropped in silence, and with it what the client wanted.
    arguments = tool.fn_metadata.arg_model
    arguments.model_config["extra"] = "forbid"
    arguments.model_rebuild(force=True)
    tool.parameters = arguments.model_json_schema(by_alias=True)
    return tool
