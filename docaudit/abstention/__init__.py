"""Thresholds for holding answers back, and ledgers of the runs of a QA tool."""
