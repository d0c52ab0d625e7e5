"""Turns an error of a project's auth into a refusal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from ..errors import AppError, ProjectRefusal


def raise_refusal(error: Exception, where: str, *, of_assert: str) -> NoReturn:
    """
    Raises the error's refusal. ``HTTPException`` of the SDK, of Starlette and of FastAPI are
    recognized by their shape; a failed ``assert`` is a refusal with the code ``of_assert``. Any
    other error is a fault of the project's code, and refuses the request.
    """
    if isinstance(error, AppError | ProjectRefusal):
        raise error
    if isinstance(error, AssertionError):
        raise AppError(of_assert, str(error) or "The project's auth does not allow this.") from None
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and 300 <= status <= 599:
        detail, headers = getattr(error, "detail", None), getattr(error, "headers", None)
        raise ProjectRefusal(status, _text(detail) or "Refused", _headers(headers)) from None
    raise AppError("internal", f"{where} failed; the log says more.") from error


def _text(detail: Any) -> str:
    if detail is None or isinstance(detail, str):
        return detail or ""
    return json.dumps(detail, default=str)


def _headers(headers: Any) -> list[tuple[str, str]]:
    if not isinstance(headers, Mapping):
        return []
    return [(str(name), str(value)) for name, value in headers.items()]
