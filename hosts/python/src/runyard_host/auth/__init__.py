"""The project's own ``auth``: an ``Auth`` of ``langgraph_sdk``."""

from .auth import LoadedAuth, load_auth
from .user import as_user

__all__ = ["LoadedAuth", "as_user", "load_auth"]
