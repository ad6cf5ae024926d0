"""Remedies of errors are written for the command line; other surfaces have options in the place of its flags."""

from __future__ import annotations

import re
from collections.abc import Collection

_FLAG = re.compile(r"--([a-z][a-z-]*)")


def for_client(remedy: str, options: Collection[str]) -> str:
    """The remedy with the options of a client in the place of flags; a flag that is no option of his stays.

    >>> for_client("run with --ocr off, or raise --memory-mb", ["ocr"])
    'run with the option ocr off, or raise --memory-mb'
    """

    def named(flag: re.Match[str]) -> str:
        option = flag[1].replace("-", "_")
        return f"the option {option}" if option in options else flag[0]

    return _FLAG.sub(named, remedy)
