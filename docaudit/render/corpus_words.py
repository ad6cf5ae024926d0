"""Sentences about the documents of a store, in both languages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docaudit.render.clean import one_line
from docaudit.render.tongue import Tongue


def file_names(paths: Iterable[str]) -> list[str]:
    """The file names of paths, each once, in their order.

    >>> file_names(["/a/x.pdf", "/b/x.pdf", "/b/y.pdf"])
    ['x.pdf', 'y.pdf']
    """
    return list(dict.fromkeys(path.rpartition("/")[2] for path in paths))


def aside(name: str, paths: Sequence[str], gone: bool, t: Tongue) -> str:
    """What is said beside the name of a document: that it has another by now, copies, or is gone; empty if nothing.

    >>> aside("x.pdf", ("/a/y.pdf", "/a/z.pdf"), False, Tongue("en"))
    'now y.pdf, +1 copy'
    """
    names, copies = file_names(paths), len(paths) - 1
    told = [t("in no source any more")] if gone else []
    if names and name not in names:
        told.append(t("now {name}", name=one_line(names[0])))
    if copies > 0:
        told.append(f"+{t.count(copies, 'copy')}")
    return ", ".join(told)


def gone_said(gone: int, shown: bool, t: Tongue) -> str:
    """That documents are in no source any more, and whether they are shown; empty if there are none."""
    if not gone:
        return ""
    documents = t.count(gone, "document")
    if shown:
        return t(
            "In no source any more (replaced or deleted), and shown here: {documents}.", documents=documents
        )
    return t(
        "In no source any more (replaced or deleted), and left out here: {documents}; --gone shows them.",
        documents=documents,
    )


def unfinished_said(done: int, documents: int, t: Tongue) -> str:
    """That the last run has not come to its end, and how far it came."""
    return t(
        "The last run was ended before its end, or is going on: {n} of {total} documents were done. What is not here "
        "was not searched; the same command goes on from there.",
        n=f"{done:,}",
        total=f"{documents:,}",
    )
