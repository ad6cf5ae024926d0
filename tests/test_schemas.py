"""The schemas say what the models are, and what is saved keeps them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import jsonschema
import pytest

from docaudit import saved as json_form
from tests.factories import absent, japanese, mentioned, not_established

SCHEMAS = Path(__file__).parent.parent / "schemas"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_schemas", SCHEMAS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "name",
    [
        "absence_justification",
        "parse_coverage",
        "concept_table",
        "coverage",
        "elusion_draw",
        "ledger_contract",
        "ledger_document",
        "ledger_case",
        "ledger_run",
        "ledger_claim",
        "ledger_evaluation",
        "ledger_diff",
    ],
)
def test_no_drift(generator: ModuleType, name: str) -> None:
    saved = (SCHEMAS / f"{name}.schema.json").read_text("utf-8")
    assert saved == generator.schema_text(generator.MODELS[name]), "run: make schemas"


def test_every_model_has_its_schema_and_no_other_is_there(generator: ModuleType) -> None:
    assert {path.name for path in SCHEMAS.glob("*.json")} == {f"{n}.schema.json" for n in generator.MODELS}


@pytest.mark.parametrize("make", [absent, not_established, mentioned, japanese])
def test_saved_justification_validates_and_loads_back_equal(make) -> None:
    justification = make()
    text = json_form.dump(justification)
    data = json.loads(text)
    validator = schema("absence_justification")
    validator.validate(data)
    schema("parse_coverage").validate(data["coverage"])
    schema("concept_table").validate(data["concept_table"])
    assert json_form.load(text) == justification


@pytest.mark.parametrize(
    ("field", "value"),
    [("answer", "42 GWh"), ("finding", "absent"), ("reason", "because"), ("kind", "answer")],
)
def test_schema_refuses_what_the_model_refuses(field: str, value: str) -> None:
    data = json.loads(json_form.dump(absent())) | {field: value}
    with pytest.raises(jsonschema.ValidationError):
        schema("absence_justification").validate(data)


def schema(name: str) -> jsonschema.Draft202012Validator:
    content = json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(content)
    return jsonschema.Draft202012Validator(content)
