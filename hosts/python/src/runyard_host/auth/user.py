"""Reads the user that handlers and graphs see from the result of ``authenticate``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from langgraph_sdk.auth.types import StudioUser

from ..errors import AppError
from ..port import JsonObject
from .value import from_python

_FIELDS = ("identity", "display_name", "is_authenticated", "permissions")


def read_user(answer: Any) -> JsonObject:
    """
    Reads an identity text, or a mapping or an object with an identity and other fields. Nothing,
    and a user that is marked as not authenticated, raise ``unauthenticated``; anything else raises
    ``TypeError``.
    """
    if isinstance(answer, str):
        return _user_with({"identity": answer})
    if answer is None or answer is False:
        raise _nobody()
    fields = _fields_of(answer)
    if not isinstance(fields.get("identity"), str):
        raise TypeError(
            'authenticate must answer a text, or a dict or an object with the text "identity".'
        )
    return _user_with(fields)


def as_user(fields: JsonObject) -> User | Studio:
    """
    The user as handlers, routes and graphs know it: its fields are attributes and items. A user of
    Studio is a ``StudioUser``.
    """
    if fields.get("kind") == "StudioUser":
        return Studio(fields)
    return User(fields)


def _field(name: str) -> property:
    return property(lambda user: user.__getattr__(name))


class User(dict[str, Any]):
    """A user whose fields are items and attributes alike (``BaseUser``)."""

    # From Python 3.12 on, ``isinstance`` with a protocol looks for its members in the class alone.
    identity = _field("identity")
    display_name = _field("display_name")
    is_authenticated = _field("is_authenticated")
    permissions = _field("permissions")

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"The user has no field {name!r}.") from None

    def model_dump(self) -> JsonObject:
        """The fields alone."""
        return {**self}

    dict = model_dump


class Studio(StudioUser):
    """A user of Studio; the fields are items too."""

    def __init__(self, fields: JsonObject) -> None:
        super().__init__(fields["identity"], is_authenticated=True)
        self._fields = fields

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def get(self, name: str, default: Any = None) -> Any:
        """The field, or ``default``."""
        return self._fields.get(name, default)


def _fields_of(answer: Any) -> JsonObject:
    if isinstance(answer, Mapping):
        return _as_json(answer)
    for name in ("model_dump", "dict"):
        dump = getattr(answer, name, None)
        if callable(dump):
            return {**_named(answer), **_as_json(dump())}
    return _named(answer)


def _named(answer: Any) -> JsonObject:
    """The fields of an object, and of its class: ``identity`` may be a property."""
    own = {name: value for name, value in _attributes(answer) if not name.startswith("_")}
    known = {name: getattr(answer, name) for name in _FIELDS if hasattr(answer, name)}
    return _as_json({**own, **known})


def _attributes(answer: Any) -> list[tuple[str, Any]]:
    return list(getattr(answer, "__dict__", {}).items())


def _as_json(fields: Mapping[str, Any]) -> JsonObject:
    made = from_python(fields)
    return made if isinstance(made, dict) else {}


def _user_with(fields: JsonObject) -> JsonObject:
    identity = fields["identity"]
    if identity == "" or fields.get("is_authenticated") is False:
        raise _nobody()
    display_name, permissions = fields.get("display_name"), fields.get("permissions")
    texts = permissions if isinstance(permissions, list) else []
    return {
        **fields,
        "identity": identity,
        "display_name": display_name if isinstance(display_name, str) else identity,
        "is_authenticated": True,
        "permissions": [one for one in texts if isinstance(one, str)],
    }


def _nobody() -> AppError:
    return AppError("unauthenticated", "The project's auth does not know who sent this request.")
