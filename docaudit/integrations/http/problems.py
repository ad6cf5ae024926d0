"""What a client is told when there is no result: a code, what happened, what to do. Never a path of the server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from http import HTTPStatus
from pathlib import Path

from docaudit.errors import (
    DocauditError,
    ListedError,
    ModelError,
    NotBelowRootsError,
    OcrError,
    OutputError,
    PasswordRequiredError,
    TooLargeError,
)
from docaudit.evidence import Model

_STATUS: dict[type[DocauditError], HTTPStatus] = {
    NotBelowRootsError: HTTPStatus.NOT_FOUND,
    TooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    # Not what the client sent is at fault, but the machine of the server.
    OcrError: HTTPStatus.INTERNAL_SERVER_ERROR,
    OutputError: HTTPStatus.INTERNAL_SERVER_ERROR,
    ModelError: HTTPStatus.INTERNAL_SERVER_ERROR,
}
_REMEDIES: dict[type[DocauditError], str] = {PasswordRequiredError: "send it as the option password"}
"""What is said here instead of a flag of the command line that is none of the operator's."""
_MOST_PROBLEMS = 1000


class Problem(Model):
    """Why there is no result (application/problem+json, RFC 9457); it never means that nothing was found.

    Attributes:
        status: The HTTP status, also where it comes in a stream.
        code: What kind of problem: the name of the error of docaudit, or a limit of the server.
        message: What happened.
        remedy: What can be done about it.
        problems: Every fault, where there are several in one input; the first thousand.
        file: Name of the file concerned.
        page: Page concerned.
    """

    status: int
    code: str
    message: str
    remedy: str = ""
    problems: tuple[str, ...] = ()
    file: str | None = None
    page: int | None = None


class RefusedError(Exception):
    """Ends a request with a problem; `headers` go into the answer."""

    def __init__(self, problem: Problem, headers: dict[str, str] | None = None) -> None:
        self.problem = problem
        self.headers = headers or {}
        super().__init__(problem.message)


def refused(
    status: HTTPStatus,
    code: str,
    message: str,
    remedy: str = "",
    *,
    problems: Iterable[str] = (),
    file: str | None = None,
    headers: dict[str, str] | None = None,
) -> RefusedError:
    """The error that ends a request in this way."""
    listed = tuple(problems)[:_MOST_PROBLEMS]
    problem = Problem(status=status, code=code, message=message, remedy=remedy, problems=listed, file=file)
    return RefusedError(problem, headers)


def problem_of(error: DocauditError, hidden: Iterable[Path]) -> Problem:
    """The problem that an error of docaudit is for a client.

    Args:
        error: The error.
        hidden: Folders of the server that no text may name.
    """
    shown = _without(hidden)
    name = type(error).__name__.removesuffix("Error")
    status = next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), None)
    listed = error.problems if isinstance(error, ListedError) else ()
    return Problem(
        status=status or HTTPStatus.UNPROCESSABLE_ENTITY,
        code=re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower(),
        message=shown(error.cause),
        remedy=_REMEDIES.get(type(error)) or shown(error.remedy),
        problems=tuple(shown(one) for one in listed[:_MOST_PROBLEMS]),
        file=None if error.file is None else Path(error.file).name,
        page=error.page,
    )


def _without(hidden: Iterable[Path]) -> Callable[[str], str]:
    """A function that leaves these folders out of a text: as absolute paths, and only where one begins and ends."""
    texts = {str(path) for folder in hidden for path in (folder.absolute(), folder.resolve())} - {"/"}
    if not texts:
        return str
    either = "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True))
    return partial(re.compile(rf"(?<![\w./-])(?:{either})(?:/|(?![\w-]|\.\w))").sub, "")
