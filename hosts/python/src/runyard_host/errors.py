"""Errors that cross the connection, and the description of any other error."""

from __future__ import annotations

import asyncio
import concurrent.futures
import sysconfig
import traceback
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

from .port import Headers, JsonObject

_OWN = str(Path(__file__).parent)
_STDLIB = sysconfig.get_path("stdlib")
_MACHINERY = ("langgraph", "langchain_core", "pydantic", "starlette", "fastapi", "anyio")
_MAX_CAUSES = 8


class AppError(Exception):
    """A refusal with one of the codes of ``core/errors.ts`` and a message for people."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        issues: list[JsonObject] | None = None,
        missing: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.issues = issues
        self.missing = missing


class DatabaseAway(AppError):  # noqa: N818 - the agent server's name for it
    """The database cannot be reached: the run is not to blame, and is tried again."""

    def __init__(self, message: str) -> None:
        super().__init__("unavailable", message)


class ProjectRefusal(Exception):  # noqa: N818 - as above
    """A refusal by the project's own code, with the status and the headers that it chose."""

    def __init__(self, status: int, message: str, headers: Headers | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers: Headers = headers or []


class ServerError(Exception):
    """An error of the agent server without a code; ``name`` is its class there."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class ConnectionEnded(AppError):  # noqa: N818 - as above
    """The agent server is gone, and so will be this process."""

    def __init__(self) -> None:
        super().__init__("unavailable", "The connection to the agent server has ended.")


def to_wire_error(error: BaseException) -> JsonObject:
    """Describes any error: its class, message, known details, traceback and causes."""
    return _describe(error, _MAX_CAUSES)


def from_wire_error(error: JsonObject) -> Exception:
    """The error that the other side reported."""
    message = str(error.get("message", ""))
    if error.get("database_away"):
        return DatabaseAway(message)
    if "status" in error:
        headers = [(name, value) for name, value in error.get("headers", [])]
        return ProjectRefusal(int(error["status"]), message, headers)
    if "code" in error:
        issues, missing = error.get("issues"), error.get("missing")
        return AppError(str(error["code"]), message, issues=issues, missing=missing)
    return ServerError(str(error.get("name", "Error")), message)


def format_traceback(error: BaseException) -> str:
    """The traceback as Python prints it, without causes, cut to the frames of the user's code."""
    lines = traceback.format_exception_only(type(error), error)
    frames = user_frames(error.__traceback__)
    if not frames:
        return "".join(lines).rstrip("\n")
    head = "Traceback (most recent call last):\n"
    return "".join([head, *traceback.format_list(frames), *lines]).rstrip("\n")


def user_frames(trace: TracebackType | None) -> list[traceback.FrameSummary]:
    """
    The frames from the first one of the project's code on, without its callers: this package,
    LangGraph, asyncio. If the project has none, all but this package's.
    """
    frames = traceback.extract_tb(trace)
    others = [frame for frame in frames if not frame.filename.startswith(_OWN)]
    own = [frame for frame in others if not _is_machinery(frame.filename)]
    first = next((at for at, one in enumerate(own) if not _is_library(one.filename)), None)
    return others if first is None else own[first:]


def _describe(error: BaseException, depth: int) -> JsonObject:
    told: JsonObject = {
        "name": error.name if isinstance(error, ServerError) else type(error).__name__,
        "message": _message_of(error),
        "stack": format_traceback(error),
    }
    if isinstance(error, DatabaseAway):
        told["database_away"] = True
    if isinstance(error, AppError):
        told |= _present(code=error.code, issues=error.issues, missing=error.missing)
    if isinstance(error, ProjectRefusal):
        told |= {"status": error.status, "headers": [list(pair) for pair in error.headers]}
    cause = _cause_of(error)
    if cause is not None and depth > 0:
        told["cause"] = _describe(cause, depth - 1)
    return told


def _message_of(error: BaseException) -> str:
    try:
        message = str(error)
    except Exception:
        return "<exception str() failed>"
    if not message and isinstance(
        error, asyncio.CancelledError | concurrent.futures.CancelledError
    ):
        return "The work was cancelled."
    return message


def _cause_of(error: BaseException) -> BaseException | None:
    if error.__cause__ is not None or error.__suppress_context__:
        return error.__cause__
    return error.__context__


def _present(**fields: Any) -> JsonObject:
    return {name: value for name, value in fields.items() if value is not None}


def _is_machinery(filename: str) -> bool:
    return _is_in(filename, _MACHINERY) or (
        filename.startswith(_STDLIB) and "site-packages" not in filename
    )


def _is_library(filename: str) -> bool:
    return "site-packages" in filename or "dist-packages" in filename or filename.startswith("<")


def _is_in(filename: str, packages: Iterable[str]) -> bool:
    return any(f"/site-packages/{name}/" in filename for name in packages)
