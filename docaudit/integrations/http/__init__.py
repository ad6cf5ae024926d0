"""docaudit over HTTP: a document and a concept table go in, a justification or its report comes out.

The way of a request: guard (may it come in at all?), app (which question?), desk (is there room?), received (its files
onto disk, within limits), running (a process of its own, with a time limit), work (inside that process: the audit),
and back through app as JSON, HTML or a stream of events.
"""
