"""JSON form: the same bytes, back to the same object, and a clear word about a file that is not one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docaudit.errors import SavedFileError
from docaudit.render import json as json_form
from tests.factories import absent, hit, japanese


def test_same_bytes_whatever_the_order_of_mappings() -> None:
    document = absent().document
    assert document is not None
    turned = document.model_copy(update={"versions": dict(reversed(document.versions.items()))})
    assert json_form.dump(absent(document=turned)) == json_form.dump(absent())


def test_japanese_stays_readable() -> None:
    assert "生成AI" in json_form.dump(japanese())


def test_half_characters_survive_and_the_file_is_valid_utf8() -> None:
    odd = absent(hits=(hit(snippet="electricity \ud835 here"),))
    data = json_form.dump(odd).encode("utf-8")
    assert json_form.load(data) == odd


def test_password_is_in_no_output() -> None:
    secret = absent(options=absent().options.model_copy(update={"password": "hunter2"}))
    assert "hunter2" not in json_form.dump(secret)


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "not a justification"),
        ('{"kind": "answer"}', "not a justification"),
        ('{"kind": "absence"}', "not a valid justification"),
        (b"\xff\xfe\xfa", "not JSON"),
    ],
)
def test_damaged_file(tmp_path: Path, content: str | bytes, cause: str) -> None:
    file = tmp_path / "justification.json"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(SavedFileError, match=cause) as caught:
        json_form.read(file)
    assert caught.value.file == str(file)
    assert caught.value.remedy


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(SavedFileError, match="cannot be read"):
        json_form.read(tmp_path / "nothing.json")


@pytest.mark.parametrize(
    "change",
    [
        {"answer": "yes"},
        {"finding": "mentioned"},
        {"schema_version": "2"},
        {"concept_table": None},
        {"extra": 1},
        {"ledger": []},
    ],
)
def test_changed_field_is_refused(change: dict[str, object]) -> None:
    data = json.loads(json_form.dump(absent())) | change
    with pytest.raises(SavedFileError):
        json_form.load(json.dumps(data))
