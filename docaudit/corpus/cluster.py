"""A Dask cluster as the executor of a run: the only module that knows the library (extra dask)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docaudit.corpus.store import open_store
from docaudit.errors import ClusterError, StoreError

_CONNECT_SECONDS = 10
_ALONE_SECONDS = 60.0
"""So long without a worker, a cluster counts as gone: a worker that died is started anew in a few seconds."""
_PER_THREAD = 3


@dataclass(frozen=True)
class Cluster:
    """A cluster that can be used.

    Attributes:
        executor: Takes tasks.
        at_once: How many tasks are handed over at a time.
        check: Raises ClusterError if no worker has been there for long.
    """

    executor: Executor
    at_once: int
    check: Callable[[], None]


@contextmanager
def connected(address: str, store: Path, example: str | None) -> Iterator[Cluster]:
    """The cluster at an address; raises ClusterError if it cannot be used.

    Args:
        address: Of the scheduler.
        store: The store, which every worker must reach under the same path.
        example: A document that every worker must be able to read, or None.
    """
    client = _client(address)
    try:
        _check_workers(client, address, store, example)
        threads = sum(client.nthreads().values())
        yield Cluster(client.get_executor(pure=False), max(1, _PER_THREAD * threads), _watch(client, address))
    finally:
        client.close(timeout=_CONNECT_SECONDS)


def _client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError as error:
        raise ClusterError(
            "a Dask cluster needs the extra dask", remedy="pip install '.[dask]' in the folder of docaudit"
        ) from error
    try:
        return Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        said = " ".join(str(error).split())
        raise ClusterError(
            f"no Dask scheduler answers at {address}: {said[:200]}",
            remedy="write the address that the scheduler prints, such as tcp://host:8786",
        ) from error


def _check_workers(client: Any, address: str, store: Path, example: str | None) -> None:
    """Have every worker look at store and documents before the work begins."""
    try:
        client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
        seen: dict[str, Any] = client.run(look, str(store), example, on_error="return")
    except (OSError, TimeoutError) as error:
        raise ClusterError(
            f"no worker of the Dask cluster at {address} answers", remedy="start workers, and run again"
        ) from error
    for worker, said in sorted(seen.items()):
        if isinstance(said, ImportError):
            raise ClusterError(
                f"the worker {worker} has no docaudit: {said}", remedy="install the same version there"
            )
        if isinstance(said, BaseException):
            raise ClusterError(f"the worker {worker} does not answer: {said}", remedy="look at its log")
        if said:
            raise ClusterError(
                f"the worker {worker} {said}",
                remedy="documents and store must lie under the same paths everywhere, as on a shared disk",
            )


def look(store: str, example: str | None) -> str:
    """Run on a worker: what is in the way of working there, as the end of a sentence; empty if nothing."""
    try:
        open_store(Path(store))
    except StoreError as error:
        return f"cannot use the store: {error}"
    if not os.access(store, os.W_OK):
        return f"cannot write into the store {store}"
    if example is not None and not os.access(example, os.R_OK):
        return f"cannot read {example}"
    return ""


def _watch(client: Any, address: str) -> Callable[[], None]:
    last = time.monotonic()

    def check() -> None:
        nonlocal last
        try:
            there = bool(client.nthreads())
        except (OSError, ValueError, RuntimeError, TimeoutError):
            there = False
        if there:
            last = time.monotonic()
        elif time.monotonic() - last > _ALONE_SECONDS:
            raise ClusterError(
                f"the Dask cluster at {address} has had no worker for {_ALONE_SECONDS:.0f} s",
                remedy="what is done is kept: start workers, and run again to go on",
            )

    return check
