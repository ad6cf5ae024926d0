"""The program: the group of all commands. Each command is one annotated function; what it needs loads when it runs."""

from __future__ import annotations

import click

import docaudit
from docaudit.cli import audit, concepts, corpus, coverage, evaluate, gate, sample, serve, suggest, sweep
from docaudit.cli.flags import TaskGroup, debug_flag

# \b keeps click from filling the lines.
EXIT_CODES = """\b
Exit codes (of other commands: docaudit COMMAND --help):
  audit     0 absent within the coverage, 1 mentioned, 3 not established
  sweep     0 no hit and all was read, 1 a hit, 3 no hit but not all was read
  coverage  0 shown, 1 if --fail-under or --fail-on says so
  all       2 error: one line on stderr says what happened and what to do
"""


@click.group(
    cls=TaskGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EXIT_CODES,
)
@click.version_option(docaudit.__version__, prog_name="docaudit")
@debug_flag
def app() -> None:
    """Audit PDFs for absence: show that something is not in a document, or say exactly why that cannot be shown."""


COMMANDS = (
    audit.audit,
    coverage.coverage,
    coverage.explain,
    sweep.sweep,
    audit.parse,
    audit.report,
    concepts.init,
    concepts.accept,
    concepts.reject,
    concepts.lint,
    concepts.diff,
    suggest.suggest,
    suggest.strength,
    audit.verify,
    audit.compare,
    sample.sample,
    corpus.corpus,
    gate.gate,
    evaluate.evaluate,
    serve.mcp,
    serve.serve,
)
for command in COMMANDS:
    app.add_command(command)
