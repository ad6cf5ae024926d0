"""Builders of the sample documents; every one is generated, so the truth about it is known."""
