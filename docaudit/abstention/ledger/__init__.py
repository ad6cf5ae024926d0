"""The run ledger: what a question-answering system did on labelled cases, and what follows from the rows.

Nothing here is a judgement of docaudit about an answer: people (or models calibrated on people) judge claims, and
everything else is recomputed from the rows. Method: "RAG evaluation checklist: 20 tests of grounded answers".
"""
