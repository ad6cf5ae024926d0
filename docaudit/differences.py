"""What differs between two justifications as they are saved, field by field.

>>> [str(one) for one in differences({"a": {"b": 1}, "c": [1, 2]}, {"a": {"b": 2}, "c": [1]})]
['a.b: saved 1, now 2', 'c: saved 2 entries, now 1: no longer there: 2']
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from docaudit.evidence import Model

_SHOWN = 200


class Difference(Model):
    """One field that differs; its values as JSON, cut if they are long.

    Attributes:
        field: Path of the field, as hits[3].page_num.
        saved: Its value in the saved justification; empty if it has no such field.
        now: Its value now; empty if there is no such field.
        detail: For lists of different lengths what is only in one of them.
    """

    field: str
    saved: str
    now: str
    detail: str = ""

    def __str__(self) -> str:
        """One line for people."""
        said = f"{self.field}: saved {self.saved or 'nothing'}, now {self.now or 'nothing'}"
        return f"{said}: {self.detail}" if self.detail else said


def differences(
    saved: dict[str, Any], now: dict[str, Any], ignore: Collection[str] = ()
) -> tuple[Difference, ...]:
    """Every field in which two saved forms differ, those with these paths left out."""
    return tuple(one for one in _compare("", saved, now) if one.field not in ignore)


def _compare(path: str, saved: Any, now: Any) -> Iterator[Difference]:
    if isinstance(saved, dict) and isinstance(now, dict):
        for name in dict.fromkeys([*saved, *now]):
            inner = f"{path}.{name}" if path else str(name)
            if name in saved and name in now:
                yield from _compare(inner, saved[name], now[name])
            else:
                yield Difference(field=inner, saved=_shown(saved, name), now=_shown(now, name))
        if list(saved) != list(now) and set(saved) == set(now):
            yield Difference(
                field=path, saved=_json(list(saved)), now=_json(list(now)), detail="another order"
            )
    elif isinstance(saved, list) and isinstance(now, list):
        if len(saved) == len(now):
            for index, (one, other) in enumerate(zip(saved, now, strict=True)):
                yield from _compare(f"{path}[{index}]", one, other)
        else:
            yield _lengths(path, saved, now)
    # 1 and true, and 1 and 1.0, are equal to Python, but not the same in a file.
    elif type(saved) is not type(now) or saved != now:
        yield Difference(field=path, saved=_json(saved), now=_json(now))


def _lengths(path: str, saved: list[Any], now: list[Any]) -> Difference:
    before, after = Counter(map(_whole, saved)), Counter(map(_whole, now))
    gone, new = list((before - after).elements()), list((after - before).elements())
    parts = [f"{what}: {_listed(some)}" for what, some in (("no longer there", gone), ("new", new)) if some]
    entries = "entry" if len(saved) == 1 else "entries"
    return Difference(field=path, saved=f"{len(saved)} {entries}", now=str(len(now)), detail="; ".join(parts))


def _listed(some: list[str]) -> str:
    more = f" and {len(some) - 3} more" if len(some) > 3 else ""
    return ", ".join(_cut(one) for one in some[:3]) + more


def _shown(part: dict[str, Any], name: str) -> str:
    return _json(part[name]) if name in part else ""


def _json(value: Any) -> str:
    return _cut(_whole(value))


def _whole(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
