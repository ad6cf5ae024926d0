"""Evaluators of retrieved material, behind one protocol: they choose what to do next, and never refuse to answer.

They take scores and grades as input, from any model or person; `asking` can ask a model. Lenient on relevance here,
strict on absence elsewhere: that nothing is there is said by docaudit's audit alone, after the sweep.
"""
