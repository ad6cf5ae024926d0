"""From a PDF to tables: the only package that knows a PDF library.

`read_tables` is its entry point. In order: source (identify the file), isolation and worker (read it in child
processes), page (the order of work on one page), attachments (nested documents), fact_tables, line_types, toc,
cross_refs, controls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docaudit.extract.read import ExtractedTables, read_tables
    from docaudit.extract.source import Source

__all__ = ["ExtractedTables", "Source", "read_tables"]


def __getattr__(name: str) -> Any:
    """Load late: the child process imports this package and needs none of the table libraries."""
    if name in {"ExtractedTables", "read_tables"}:
        from docaudit.extract import read

        return getattr(read, name)
    if name == "Source":
        from docaudit.extract.source import Source

        return Source
    raise AttributeError(name)
