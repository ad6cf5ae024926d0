"""The order of work inside extract/: from a source to all tables that can be read from the document alone."""

from __future__ import annotations

import time
from importlib.metadata import version

from docaudit.coverage import measure_coverage
from docaudit.document import ParsedDocument
from docaudit.errors import Progress, quiet
from docaudit.extract.attachments import with_nested_documents
from docaudit.extract.controls import witness_table
from docaudit.extract.cross_refs import objects_and_refs
from docaudit.extract.fact_tables import image_table, line_table, page_table, spot_table
from docaudit.extract.isolation import read_pages
from docaudit.extract.line_types import mark_line_types
from docaudit.extract.source import Source, identified
from docaudit.extract.toc import printed_contents, toc_table
from docaudit.justification import DocumentIdentity
from docaudit.options import AuditOptions


def read_document(source: Source, options: AuditOptions, progress: Progress | None = None) -> ParsedDocument:
    """The document as tables; raises InputError and its subclasses if it cannot be opened."""
    with identified(source) as file:
        deadline = time.monotonic() + options.document_seconds
        document, pages = read_pages(file, options, progress)
        document = with_nested_documents(file, options, document, pages, deadline, quiet(progress))
    page_df, image_df, blind_spot_df = page_table(pages), image_table(pages), spot_table(document, pages)
    line_df = mark_line_types(line_table(document, pages), page_df)
    witness_df = witness_table(line_df, pages)
    outline, versions = document.outline, document.versions
    del document, pages  # the lines are in the table; of long documents they are most of the memory
    printed = printed_contents(line_df, len(page_df))
    contents = frozenset(line for entry in printed for line in entry.lines)
    object_registry, cross_ref_df = objects_and_refs(line_df, contents)
    toc_df = toc_table(outline, printed, line_df, page_df)
    return ParsedDocument(
        identity=DocumentIdentity(
            name=file.name,
            sha256=file.sha256,
            size_bytes=file.size_bytes,
            pages_total=len(page_df),
            versions={"docaudit": version("docaudit"), **versions},
        ),
        options=options,
        page_df=page_df,
        line_df=line_df,
        image_df=image_df,
        toc_df=toc_df,
        cross_ref_df=cross_ref_df,
        object_registry=object_registry,
        blind_spot_df=blind_spot_df,
        witness_df=witness_df,
        coverage=measure_coverage(page_df, line_df, image_df, toc_df, cross_ref_df, object_registry),
    )
