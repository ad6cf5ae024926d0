"""The pages below docs/ that are written from the code: see docs/generate.py."""
