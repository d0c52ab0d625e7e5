"""
Reports the log records of the project's code, from ``logging`` or ``structlog``, with their run,
thread and node. Printed output stays as it is.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Mapping, MutableMapping
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any, TypeAlias

from .errors import to_wire_error
from .place import current_place
from .side import Tell

EventDict: TypeAlias = MutableMapping[str, Any]

_NUMBERS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warn": logging.WARNING,
    "error": logging.ERROR,
    "silent": logging.CRITICAL + 1,
}
# They log a line for each request that is sent, also to the server itself.
_TALKATIVE = ("httpx", "httpcore")
_OWN = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def install(level: str, tell: Tell) -> None:
    """
    From now on the root logger passes records at ``level`` (of the agent server) and above to
    ``tell``, and so does ``structlog``, unless the project configures them itself.
    """
    root = logging.getLogger()
    root.setLevel(_NUMBERS[level])
    root.addHandler(SideHandler(tell))
    if level == "info":
        for name in _TALKATIVE:
            logging.getLogger(name).setLevel(logging.WARNING)
    # An import at each start would take 30 to 130 ms.
    _when_imported("structlog", lambda: _configure_structlog(_NUMBERS[level], tell))


class SideHandler(logging.Handler):
    """Passes each record of ``logging`` on."""

    def __init__(self, tell: Tell) -> None:
        super().__init__()
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        """As ``logging`` says; raises nothing."""
        try:
            self._tell(_entry_of(record))
        except Exception:
            self.handleError(record)


def _entry_of(record: logging.LogRecord) -> dict[str, Any]:
    error = record.exc_info[1] if record.exc_info else None
    fields = {name: value for name, value in vars(record).items() if name not in _OWN}
    return _entry(record.levelno, record.name, record.getMessage(), fields, error)


def _entry(
    level: int,
    logger: str,
    message: str,
    fields: Mapping[str, Any],
    error: BaseException | None,
) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "kind": "log",
        "level": _level(level),
        "logger": logger,
        "message": message,
        **current_place().fields(),
    }
    if fields:
        entry["fields"] = {str(name): _plain(value) for name, value in fields.items()}
    if error is not None:
        entry["error"] = to_wire_error(error)
    return entry


def _level(number: int) -> str:
    for name in ("error", "warn", "info"):
        if number >= _NUMBERS[name]:
            return name
    return "debug"


def _plain(value: Any) -> Any:
    """JSON of the value, or else its text."""
    try:
        return json.loads(json.dumps(value, default=str))
    except (TypeError, ValueError, RecursionError):
        return repr(value)


# structlog


def _configure_structlog(level: int, tell: Tell) -> None:
    import structlog

    # A later configuration by the project replaces this one.
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            lambda logger, name, event: _told_of_structlog(logger, name, event, tell),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=_NamedLogger,
        cache_logger_on_first_use=False,
    )


class _NamedLogger:
    """What ``structlog.get_logger(name)`` wraps: it only knows its name."""

    def __init__(self, *args: Any) -> None:
        self.name = str(args[0]) if args else "structlog"

    def msg(self, *_: Any, **__: Any) -> None:
        """Nothing: the record is passed on already."""

    log = debug = info = warning = warn = error = critical = fatal = exception = failure = err = msg


def _told_of_structlog(logger: Any, _: str, event: EventDict, tell: Tell) -> str:
    fields = dict(event)
    level = logging.getLevelName(str(fields.pop("level", "info")).upper())
    message = str(fields.pop("event", ""))
    error = _error_of(fields.pop("exc_info", None))
    fields.pop("stack_info", None)
    number = level if isinstance(level, int) else logging.INFO
    tell(_entry(number, getattr(logger, "name", "structlog"), message, fields, error))
    return ""


def _error_of(exc_info: Any) -> BaseException | None:
    if isinstance(exc_info, BaseException):
        return exc_info
    if isinstance(exc_info, tuple):
        return exc_info[1] if isinstance(exc_info[1], BaseException) else None
    return sys.exc_info()[1] if exc_info else None


# Packages that may never be imported


def _when_imported(name: str, then: Callable[[], None]) -> None:
    """Calls it at once if the package is imported, else as soon as it is."""
    if name in sys.modules:
        then()
    else:
        sys.meta_path.insert(0, _Watch(name, then))


class _Watch(MetaPathFinder):
    """Has the other finders find the package, and calls ``then`` once it is imported."""

    def __init__(self, name: str, then: Callable[[], None]) -> None:
        self._name = name
        self._then = then

    def find_spec(self, fullname: str, _path: Any, _target: Any = None) -> ModuleSpec | None:
        """The method of ``MetaPathFinder``."""
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _WatchedLoader(spec.loader, self._then)
        return spec


class _WatchedLoader(Loader):
    def __init__(self, loader: Any, then: Callable[[], None]) -> None:
        self._loader = loader
        self._then = then

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._then()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)
