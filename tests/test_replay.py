"""The net: what docaudit says is what it said when tests/replay/hashes.json was written."""

from __future__ import annotations

import json

import pytest

from tests.replay import net, said


@pytest.mark.slow
def test_nothing_changed() -> None:
    told = net.differences(json.loads(net.HASHES.read_text("utf-8")), net.hashed(net.replay()))
    assert not told, f"see `make replay`; with {said.versions()}:\n" + "\n".join(told)


def test_every_difference_is_named() -> None:
    before, now = {"same": "1", "gone": "2", "other": "3"}, {"same": "1", "other": "4", "new": "5"}
    assert net.differences(before, now) == ["removed: gone", "added: new", "changed: other"]
