"""The annotated copy of a document, made by a child process: a file that crashes the engine costs the copy only."""

from __future__ import annotations

from docaudit.errors import DamagedDocumentError
from docaudit.extract.annotate_facts import AnnotateRequest
from docaudit.extract.document import SourceFile
from docaudit.extract.facts import Refused
from docaudit.extract.isolation import open_child
from docaudit.extract.messages import PipeClosedError, PipeGarbledError, PipeTimeoutError
from docaudit.options import AuditOptions

_MOST_SECONDS = 600.0


def write_annotated(file: SourceFile, options: AuditOptions, request: AnnotateRequest) -> list[str]:
    """Save an annotated copy to the path of the request; returns what could not be drawn, as sentences.

    Raises InputError and its subclasses if the document cannot be opened, or no copy of it can be made.
    """
    seconds = min(options.document_seconds, _MOST_SECONDS)
    # Drawing and saving is one task for the child, which takes itself for hung after the time of a page.
    patient = options.model_copy(update={"ocr": "off", "page_seconds": seconds})
    child = open_child(file, patient, describe=False)
    try:
        done = child.annotate(request, seconds)
    except PipeTimeoutError:
        problem = f"it took longer than {seconds:g} s"
    except PipeClosedError as error:
        said = str(error) if isinstance(error, PipeGarbledError) else child.last_words()
        problem = f"the engine crashed ({said})"
    else:
        if not isinstance(done, Refused):
            return done.problems
        problem = done.message
    finally:
        child.close()
    raise DamagedDocumentError(
        f"no annotated copy can be made of it: {problem}", file=file.name, remedy="repair the file"
    )
