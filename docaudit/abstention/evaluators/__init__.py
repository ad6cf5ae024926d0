"""Evaluators of retrieved passages."""
