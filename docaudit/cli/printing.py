"""JSON on standard output, in one form for all commands."""

from __future__ import annotations

import json

import click


def print_json(value: object) -> None:
    """Print a value as JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False))
