"""A note in the store while a run has not come to its end: whoever reads the tables must know what they lack."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from docaudit import atomic
from docaudit.corpus.store import Store
from docaudit.errors import StoreError


class Unfinished(BaseModel):
    """How far the last run came.

    Attributes:
        done: Documents with which nothing was left to do; of a run that was killed, when it began.
        documents: Documents of its sources.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    done: int
    documents: int


def _path(store: Store) -> Path:
    return store.root / "unfinished.json"


def note(store: Store, done: int, documents: int) -> None:
    """Keep how far the run came; raises OutputError."""
    kept = Unfinished(done=done, documents=documents)
    atomic.write_text(_path(store), kept.model_dump_json() + "\n")


def forget(store: Store) -> None:
    """The run has come to its end; raises OutputError."""
    atomic.remove(_path(store))


def noted(store: Store) -> Unfinished | None:
    """How far the last run came; None if it came to its end. Raises StoreError."""
    try:
        return Unfinished.model_validate_json(_path(store).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StoreError(
            f"cannot be read: {error}", file=str(_path(store)), remedy="run docaudit corpus run again"
        ) from error
