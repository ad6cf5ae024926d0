"""The ledger of the runs of a QA tool: its rows, what follows from them, and the evaluation."""
