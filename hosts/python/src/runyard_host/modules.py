"""Loads the modules of the project that ``langgraph.json`` names."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from .errors import AppError, format_traceback
from .parts import ModuleSpec


def load_export(spec: ModuleSpec) -> Any:
    """
    The object of ``{path | module, export}``. Each module is loaded once. Raises ``bad_request``
    with a message for people: the file, the error, and the traceback in the project's code.
    """
    where = name_of(spec)
    try:
        module = _load_file(Path(spec["path"])) if "path" in spec else _load(spec["module"])
    except AppError:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        message = f"{where} cannot be loaded.\n{_describe(error)}"
        raise AppError("bad_request", message) from error
    return _export_of(module, spec["export"], where)


def name_of(spec: ModuleSpec) -> str:
    """The module's name in ``langgraph.json``, for messages."""
    if "path" not in spec:
        return str(spec["module"])
    relative = os.path.relpath(spec["path"])
    return str(spec["path"]) if relative.startswith("..") else f"./{relative}"


def _describe(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return "".join(traceback.format_exception_only(error)).rstrip("\n")
    return format_traceback(error)


def _export_of(module: ModuleType, export: str, where: str) -> Any:
    value: Any = module
    for name in export.split("."):
        try:
            value = getattr(value, name)
        except AttributeError:
            names = ", ".join(
                sorted(
                    one
                    for one, it in vars(module).items()
                    if not one.startswith("_") and not isinstance(it, ModuleType | type)
                )
            )
            known = f" It has {names}." if names else ""
            raise AppError("bad_request", f'{where} has no "{export}".{known}') from None
    return value


def _load(name: str) -> ModuleType:
    return importlib.import_module(name)


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise AppError("bad_request", f"There is no file {name_of({'path': str(path)})}.")
    root, name = _package_of(path)
    loaded = _loaded(name, path)
    if loaded is not None:
        return loaded
    if name not in sys.modules and (_is_on_path(root) or "." in name):
        if not _is_on_path(root):
            sys.path.append(str(root))
        found = importlib.util.find_spec(name)
        if found is not None and found.origin is not None and _is_same(Path(found.origin), path):
            return importlib.import_module(name)
    return _load_as(_free_name(path), path)


def _package_of(path: Path) -> tuple[Path, str]:
    """The folder of the file's outermost package, and the file's name as a module from there."""
    parts = [] if path.stem == "__init__" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(parts)


def _loaded(name: str, path: Path) -> ModuleType | None:
    for one in (name, _free_name(path)):
        module = sys.modules.get(one)
        origin = getattr(module, "__file__", None)
        if module is not None and origin is not None and _is_same(Path(origin), path):
            return module
    return None


def _is_on_path(folder: Path) -> bool:
    return any(_is_same(Path(one or "."), folder) for one in sys.path)


def _is_same(one: Path, other: Path) -> bool:
    return one == other or os.path.realpath(one) == os.path.realpath(other)


def _free_name(path: Path) -> str:
    """A name that is the same on each machine: stored values name the modules of their classes."""
    relative = os.path.relpath(path)
    parts = Path(relative).with_suffix("").parts
    return "__".join(part.replace(".", "_").replace("-", "_") for part in parts)


def _load_as(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise AppError("bad_request", f"{name_of({'path': str(path)})} is no module of Python.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module
