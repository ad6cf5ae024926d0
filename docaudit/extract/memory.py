"""The memory limit of a child process: what the document needs counts, what the program needs does not."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

if sys.platform != "win32":
    import resource


def limit_memory(megabytes: int) -> None:
    """Cap the address space at what this process has now, and so much on top; elsewhere the time limits alone hold."""
    if sys.platform == "win32":
        return
    _set_limit(_address_space() + (megabytes << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@contextmanager
def program() -> Iterator[None]:
    """What is loaded in here belongs to the program: the limit goes up by as much as it takes."""
    if sys.platform == "win32":
        yield
        return
    limit, most = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        yield
        return
    before = _address_space()
    _set_limit(most)
    try:
        yield
    finally:
        _set_limit(limit + max(0, _address_space() - before))


def _set_limit(limit: int) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY:
        limit = min(limit, most) if limit != resource.RLIM_INFINITY else most
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))


def _address_space() -> int:
    """Bytes of address space that this process has; a guess where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as stream:  # noqa: PTH123
            return int(stream.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 1 << 30
