"""JSON of clients, read without losing a part of it: what a usual reader drops in silence is a fault here."""

from __future__ import annotations

import json
import re
from typing import Any

_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def read(text: str | bytes) -> tuple[Any, str]:
    r"""The value, and what is wrong with it, empty if nothing; the value is None if it cannot be read.

    A name that stands twice in a mapping is wrong: its first value would be lost, and with it what was to be searched.
    So are NaN and its like, half a character, and bytes that are no UTF-8.

    >>> read('{"AI": ["AI"], "AI": ["ML"]}')
    ({'AI': ['ML']}, "'AI' stands there twice")
    >>> read(b'"caf\xe9"')
    (None, 'it is not UTF-8')
    """
    faults: list[str] = []

    def single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                faults.append(f"'{name}' stands there twice")
            found[name] = value
        return found

    try:
        decoded = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        value = json.loads(decoded, object_pairs_hook=single, parse_constant=_no_number)
        if _HALF.search(decoded) or not decoded.isascii():
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError:
        return None, "it is not UTF-8"
    except UnicodeEncodeError:
        return value, "it has half a character (\\ud800 to \\udfff)"
    except RecursionError:
        return None, "it is nested too deeply"
    except ValueError as error:
        return None, str(error)
    return value, next(iter(faults), "")


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")
