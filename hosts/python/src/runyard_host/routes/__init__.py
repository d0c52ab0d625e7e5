"""The project's own routes and middleware (``http.app``), in front of the API."""

from .routes import LoadedRoutes, load_routes

__all__ = ["LoadedRoutes", "load_routes"]
