"""Every error that docaudit raises on purpose, and the exit code that the command line gives it.

An error never stands for "nothing found": whoever catches one knows that the audit did not take place. A Stop, handed
to work as its `progress`, ends it from another thread before it is done.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from importlib import import_module
from typing import Any


class ExitCode(IntEnum):
    """Exit codes of the command line, one for each finding and one for "could not run"."""

    ABSENT = 0
    MENTIONED = 1
    ERROR = 2
    NOT_ESTABLISHED = 3


class DocauditError(Exception):
    """Root of all errors of docaudit.

    Args:
        cause: What happened, as a sentence without its full stop.
        file: Name of the file concerned, or None where there is none.
        page: 1-based physical page, or None where the whole file is meant.
        remedy: What the user can do about it.
    """

    def __init__(
        self, cause: str, *, file: str | None = None, page: int | None = None, remedy: str = ""
    ) -> None:
        self.cause = cause
        self.file = file
        self.page = page
        self.remedy = remedy
        where = "" if file is None else f"{file}: "
        where += "" if page is None else f"page {page}: "
        tail = f" ({remedy})" if remedy else ""
        super().__init__(f"{where}{cause}{tail}")

    def __reduce__(self) -> tuple[Any, ...]:
        """As it is: an error may come from another process."""
        return _remade, (type(self), self.args), self.__dict__


def _remade(kind: type[DocauditError], args: tuple[Any, ...]) -> DocauditError:
    error = kind.__new__(kind)
    error.args = args
    return error


class InputError(DocauditError):
    """The document cannot be opened as a PDF."""


class DocumentNotFoundError(InputError):
    """There is no file under this name, or it is a directory or not readable."""


class NotAPdfError(InputError):
    """The bytes are not a PDF: empty, HTML, an image, an office file."""


class PasswordRequiredError(InputError):
    """The document is encrypted and no password, or a wrong one, was given."""


class NoPagesError(InputError):
    """The document opens, but no page can be reached in it."""


class DamagedDocumentError(InputError):
    """The document is so damaged, cut off or hostile that it cannot be opened within the limits."""


class OtherDocumentError(InputError):
    """The document is not the one that was audited: its hash is another."""


class TooLargeError(InputError):
    """The file is larger than the server that was asked for it takes."""


class NotBelowRootsError(DocauditError):
    """A client named no file below the folders of a server; whether it lies elsewhere is not told."""


class StoppedError(DocauditError):
    """Whoever started the work had it stopped before it was done."""


class ListedError(DocauditError):
    """Several faults of one input, found in one go.

    Attributes:
        problems: Every fault, each naming its row, what is wrong and what to write instead.
    """

    def __init__(
        self, cause: str, *, file: str | None = None, problems: tuple[str, ...] = (), remedy: str = ""
    ) -> None:
        self.problems = problems
        listed = "; ".join(problems)
        super().__init__(f"{cause}: {listed}" if listed else cause, file=file, remedy=remedy)


class ConceptTableError(ListedError):
    """The concept table is unreadable or wrong; `problems` has every fault with row and column."""


class QuestionError(DocauditError):
    """The question is empty or has no word in it."""


class OptionError(DocauditError):
    """An option has a value that does not exist or does not fit the others."""


class MissingEvidenceError(DocauditError):
    """A justification was asked for with one of its four layers of evidence missing.

    Attributes:
        layer: parsing, keywords, sweep or explanation.
    """

    def __init__(self, layer: str, cause: str) -> None:
        self.layer = layer
        super().__init__(
            f"no justification without evidence of the layer '{layer}': {cause}",
            remedy=f"run the step that produces the {layer} evidence and pass its result",
        )


class TableContractError(DocauditError):
    """A table lacks a column, or a column has the wrong type."""


class SavedFileError(DocauditError):
    """A saved parse or justification cannot be read back: missing, cut off, changed or of another version."""


class OutputError(DocauditError):
    """A result cannot be written."""


class OcrError(DocauditError):
    """The OCR engine or its language files are missing or failed."""


class ModelError(DocauditError):
    """A model that was asked for is not installed, cannot be loaded, or gives no numbers."""


class MissingExtraError(DocauditError):
    """A library that only some uses of docaudit need is not installed; the remedy names the extra."""


def require_extra(library: str, extra: str) -> None:
    """Raise MissingExtraError unless this library can be imported."""
    try:
        import_module(library)
    except ImportError as error:
        raise MissingExtraError(
            f"{library} is not installed",
            remedy=f"install it: pip install '.[{extra}]' in the folder of docaudit",
        ) from error


class EndpointError(DocauditError):
    """An endpoint of a language model gave no answer that can be read; the audit goes on without it.

    Attributes:
        status: HTTP status, or None where it did not come so far.
    """

    def __init__(self, cause: str, *, status: int | None = None) -> None:
        self.status = status
        super().__init__(cause)


class SampleError(ListedError):
    """A sample cannot be drawn, or the sheet of one does not fit its draw; `problems` has every row of the sheet."""


class RetrievalError(ListedError):
    """What a retriever gave cannot be read; `problems` has every chunk."""


class GateError(ListedError):
    """Retrieval results, labels or settings of a gate are wrong, or do not allow what was asked of them."""


class LedgerError(ListedError):
    """A ledger of runs is unreadable, wrong or contradicts itself; nothing is computed from it."""


class EvaluatorError(ListedError):
    """Scores or grades that an evaluator cannot judge by, or settings that contradict; `problems` has every row."""


class StoreError(DocauditError):
    """A store of many documents cannot be used: of another form or version, in use, or no store at all."""


class ClusterError(DocauditError):
    """A cluster cannot be reached, went away, or does not see the same files."""


class QueryError(DocauditError):
    """A query of a store is not one that may be asked, is wrong, or takes more time or memory than it may."""


Progress = Callable[[int, int], None]


class Stop:
    """Ends the work that has it as its progress.

    Args:
        tell: Called with pages done and pages in all, by the threads that read.
    """

    def __init__(self, tell: Progress | None = None) -> None:
        self._tell = tell
        self._state = _State()

    def __call__(self, done: int, total: int) -> None:
        """Hand on what was done; raises StoppedError once the work is to end."""
        self.check()
        if self._tell is not None:
            self._tell(done, total)

    def check(self) -> None:
        """Raise StoppedError once the work is to end."""
        if self._state.stopped:
            raise StoppedError("the work was stopped before it was done", remedy="start it again")

    def stop(self) -> None:
        """End the work; any thread may call this, also before it begins or after it ended."""
        with self._state.lock:
            self._state.stopped = True
            running = list(self._state.running)
        for abort in running:
            abort()

    def quiet(self) -> Stop:
        """The same for a part of the work whose pages are not pages of the document."""
        other = Stop()
        other._state = self._state
        return other


class _State:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.stopped = False
        self.running: list[Callable[[], None]] = []


def quiet(progress: Any) -> Stop | None:
    """What ends a part of the work that has this progress, or None if nothing can."""
    return progress.quiet() if isinstance(progress, Stop) else None


@contextmanager
def stoppable(progress: Any, abort: Callable[[], None]) -> Iterator[None]:
    """Have `abort` called, by another thread, when the work is to end during the block.

    Raises StoppedError at the beginning and at the end of the block once it is to end; what an aborted block came to is
    no result.
    """
    if not isinstance(progress, Stop):
        yield
        return
    state = progress._state
    with state.lock:
        progress.check()
        state.running.append(abort)
    try:
        yield
    finally:
        with state.lock:
            state.running.remove(abort)
    progress.check()
