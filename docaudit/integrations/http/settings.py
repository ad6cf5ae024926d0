"""Every setting of the server, with its default; a field has the same name as the flag of `docaudit serve`."""

from __future__ import annotations

import ipaddress
from pathlib import Path

from pydantic import Field

from docaudit.evidence import Model

MIB = 1 << 20


class ServeSettings(Model):
    """Frozen settings of one server.

    Attributes:
        host: Address to listen on. Only this machine reaches the default; there is no login.
        port: Port to listen on; 0 takes a free one.
        root: Folders whose files clients may name instead of uploading them; none if empty.
        tables: Folder of concept tables that clients may choose by file name; None for none.
        keep: Folder in which each document that was uploaded is kept with its result; None keeps nothing.
        allow_host: Names beside those of the address itself under which clients may reach the server.
        max_upload_mb: MiB of the largest document.
        max_table_mb: MiB of the largest concept table.
        max_pages: Pages of the longest document.
        upload_seconds: Time limit for receiving one request.
        audit_seconds: Time limit for the work on one request, from when it begins.
        jobs: Requests that are worked on at the same time, each in a process of its own.
        queue: Requests that may wait beside those; further ones are turned away and told when to come again.
    """

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    root: tuple[Path, ...] = ()
    tables: Path | None = None
    keep: Path | None = None
    allow_host: tuple[str, ...] = ()
    max_upload_mb: int = Field(default=100, ge=1)
    max_table_mb: int = Field(default=5, ge=1)
    max_pages: int = Field(default=2000, ge=1)
    upload_seconds: float = Field(default=120.0, gt=0)
    audit_seconds: float = Field(default=600.0, gt=0)
    jobs: int = Field(default=2, ge=1, le=64)
    queue: int = Field(default=8, ge=0, le=1000)

    @property
    def only_this_machine(self) -> bool:
        """Whether nobody else can reach the server."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether a name or address is this machine itself.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    return host.lower() == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)


def is_address(host: str) -> bool:
    """Whether it is a number and no name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
