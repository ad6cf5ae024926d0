"""JSON form: the same bytes, back to the same object, and a clear word about a file that is not one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docaudit import saved as json_form
from docaudit.errors import SavedFileError
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
        json_form.load_justification(file)
    assert caught.value.file == str(file)
    assert caught.value.remedy


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(SavedFileError, match="cannot be read"):
        json_form.load_justification(tmp_path / "nothing.json")


@pytest.mark.parametrize(
    "change",
    [
        {"answer": "yes"},
        {"finding": "mentioned"},
        {"schema_version": "1"},
        {"concept_table": None},
        {"extra": 1},
        {"ledger": []},
    ],
)
def test_changed_field_is_refused(change: dict[str, object]) -> None:
    data = json.loads(json_form.dump(absent())) | change
    with pytest.raises(SavedFileError):
        json_form.load(json.dumps(data))


def test_another_version_of_the_form_is_named() -> None:
    data = json.loads(json_form.dump(absent())) | {"schema_version": "1"}
    with pytest.raises(SavedFileError, match="its form is version 1, and this docaudit reads version 2"):
        json_form.load(json.dumps(data))


def test_the_digest_is_over_everything_but_itself() -> None:
    written = json_form.with_digest(absent())
    assert json_form.digest_of(written) == written.digest == json_form.digest_of(absent())
    assert json_form.load(json_form.dump(written)) == written
    other = written.model_copy(update={"question": "Which whales?"})
    assert json_form.digest_of(other) != written.digest
