"""From a PDF to tables: the only package that knows a PDF library.

`read.read_document` is its entry point. In order: source (identify the file), isolation and processes (child processes
under limits), worker (the child), page (the order of work on one page), attachments (nested documents), fact_tables,
line_types, toc, cross_refs, controls.
"""
