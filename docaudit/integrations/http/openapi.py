"""What /openapi.json says of requests: their bodies are read piece by piece, so that FastAPI cannot derive them."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from docaudit.integrations.http.asked import Asked, ClientOptions, Task
from docaudit.integrations.http.problems import Problem

_REF = "#/components/schemas/{model}"
_EXAMPLE = {
    "path": "commodity-report.pdf",
    "concepts": {"AI": ["AI", "artificial intelligence"], "electricity": ["electricity"]},
    "question": "How much electricity does AI consume?",
    "options": {"ocr": "off"},
}
_PROBLEM = {
    "status": 422,
    "code": "not_a_pdf",
    "message": "not a PDF but an HTML page",
    "remedy": "name a PDF file",
    "problems": [],
    "file": "report.pdf",
    "page": None,
}
_REFUSALS = {
    400: "The form cannot be read.",
    403: "The request comes from a page of another server.",
    404: "There is no such document or table.",
    408: "The request came too slowly.",
    413: "The document or the table is larger, or has more pages, than the server takes.",
    415: "The request is neither a form nor JSON.",
    421: "The server is not known under this name.",
    422: "The document cannot be opened (no PDF, encrypted, damaged), or table, question or options are wrong.",
    500: "A fault of the server; nothing is known of the document.",
    503: "As many requests as the server takes are waiting; Retry-After says when to come again.",
    504: "The work took longer than the server allows; nothing is known of the document.",
}


def work(task: Task, model: type[BaseModel]) -> dict[str, Any]:
    """Arguments for a route that does this work and answers with this model."""
    content: dict[str, Any] = {}
    if task == "audit":
        content = {
            "text/html": {"schema": {"type": "string", "description": "The report, in one file."}},
            "application/x-ndjson": {"schema": {"type": "string", "description": "One event in each line."}},
        }
    refusals = {
        status: {
            "description": said,
            "content": {
                "application/problem+json": {
                    "schema": {"$ref": _REF.format(model="Problem")},
                    **({"example": _PROBLEM} if status == 422 else {}),
                }
            },
        }
        for status, said in _REFUSALS.items()
    }
    return {
        "responses": {200: {"model": model, "description": "The result.", "content": content}, **refusals},
        "response_model": None,
        "openapi_extra": {"requestBody": _body(task)},
    }


def _body(task: Task) -> dict[str, Any]:
    left_out = {"concepts", "table"} if task == "coverage" else set()
    left_out |= {"question", "retrieved"} if task != "audit" else set()
    example = {name: value for name, value in _EXAMPLE.items() if name not in left_out}
    return {
        "required": True,
        "content": {
            "multipart/form-data": {"schema": _form(left_out)},
            "application/json": {"schema": {"$ref": _REF.format(model="Asked")}, "example": example},
        },
    }


def _form(left_out: set[str]) -> dict[str, Any]:
    text = {"type": "string"}
    fields: dict[str, Any] = {
        "document": {"type": "string", "format": "binary", "description": "The PDF."},
        "path": {**text, "description": "Instead: a document below a folder that is open to clients."},
        "concepts": {
            "oneOf": [{"type": "string", "format": "binary"}, text],
            "description": "Concept table: a CSV, TSV, JSON, YAML or XLSX file, or as a text the JSON of a mapping of "
            "concepts to lists of variants.",
        },
        "table": {**text, "description": "Instead: a concept table of the server, by its file name."},
        "question": {**text, "description": "The question that the document is asked."},
        "retrieved": {
            **text,
            "description": "The JSON of chunks of a retriever, as in the request that is JSON.",
        },
        "options": {**text, "description": "The JSON of options, as in the request that is JSON."},
    }
    encoding = {name: field for name, field in fields.items() if name not in left_out}
    return {"type": "object", "properties": encoding, "additionalProperties": False}


def complete(app: FastAPI) -> None:
    """Add the models of requests and problems to the description of the application."""

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                routes=app.routes,
                license_info=app.license_info,
            )
            known = schema.setdefault("components", {}).setdefault("schemas", {})
            for model in (Asked, ClientOptions, Problem):
                own = model.model_json_schema(ref_template=_REF)
                known |= {**own.pop("$defs", {}), model.__name__: own}
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]
