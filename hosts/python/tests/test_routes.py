"""A project's own routes and middleware, with an API behind them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from fastapi import APIRouter, FastAPI
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request as StarletteRequest
from starlette.responses import (
    JSONResponse,
    PlainTextResponse,
    StreamingResponse,
)
from starlette.responses import Response as StarletteResponse
from starlette.routing import Mount, Route, WebSocketRoute

from runyard_host.errors import AppError
from runyard_host.parts import PassedOn, RouteRequest
from runyard_host.port import Headers, JsonObject, Request, Response
from runyard_host.routes import LoadedRoutes

SPEC: JsonObject = {"path": "/project/routes.py", "export": "app"}
Next = Callable[[Request, AsyncIterator[bytes], Headers], Awaitable[PassedOn]]


async def chunks(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def api(request: Request, body: AsyncIterator[bytes], headers: Headers) -> PassedOn:
    """Answers with what it was asked."""
    read = b"".join([chunk async for chunk in body])
    passed = dict(request.headers).get("x-passed", "")
    text = f"{request.method} {request.url} {passed} {read.decode()}"
    return PassedOn(Response(202, [*headers, ("x-api", "yes")], chunks(text.encode())), None)


def asked(path: str, *parts: bytes, method: str = "GET", **more: Any) -> RouteRequest:
    headers = more.pop("request_headers", [])
    return replace(
        RouteRequest(
            request=Request(method, f"http://localhost:2024/below{path}", headers),
            body=chunks(*parts),
            path=path.split("?", 1)[0],
            user=None,
            remote=None,
            headers=[("x-request-id", "r1")],
            next=api,
        ),
        **more,
    )


class Host:
    """The routes of an app, and what they have told."""

    def __init__(self, app: Any) -> None:
        self.told: list[Mapping[str, Any]] = []
        self.loaded = LoadedRoutes(app, SPEC, self.told.append)

    async def ask(self, path: str, *parts: bytes, **more: Any) -> tuple[int, dict[str, str], bytes]:
        answer = await self.loaded.handle(asked(path, *parts, **more))
        return answer.status, dict(answer.headers), b"".join([one async for one in answer.body])


class Around(BaseHTTPMiddleware):
    async def dispatch(self, request: StarletteRequest, call_next: Any) -> StarletteResponse:
        if request.headers.get("x-blocked"):
            return PlainTextResponse("Not today.", 418)
        read = await request.body() if request.url.path.endswith("/read") else None
        request.scope["headers"].append((b"x-passed", b"yes"))
        response: StarletteResponse = await call_next(request)
        response.headers["x-by"] = "the project"
        if read is not None:
            response.headers["x-read"] = read.decode()
        if error := getattr(request.state, "api_error", None):
            response.headers["x-error"] = f"{error['name']}: {error['message']}"
        if "x-request-id" in response.headers:
            del response.headers["x-request-id"]
        return response


async def hello(request: StarletteRequest) -> StarletteResponse:
    polite = request.query_params.get("polite")
    return JSONResponse({"hello": request.path_params["name"], "polite": polite})


async def echo(request: StarletteRequest) -> StarletteResponse:
    return StreamingResponse(request.stream(), 201)


async def throws(request: StarletteRequest) -> StarletteResponse:
    raise KeyError("the cellar is flooded")


def starlette(*routes: Any, **more: Any) -> Starlette:
    return Starlette(routes=list(routes), **more)


class TestListing:
    def test_lists_the_routes_in_their_order(self) -> None:
        app = starlette(
            Route("/hello/{name}", hello),
            Route("/echo", echo, methods=["POST", "PUT"]),
            Route("/items/{at:int}/x", hello),
            Route("/files/{path:path}", hello),
            Route("/{name}.json", hello),
            Mount("/static", Starlette()),
            Route("/", hello),
        )
        assert Host(app).loaded.routes == [
            {"method": "GET", "path": "/hello/:name"},
            {"method": "POST", "path": "/echo"},
            {"method": "PUT", "path": "/echo"},
            {"method": "GET", "path": "/items/:at/x"},
            {"method": "GET", "path": "/files/*"},
            {"method": "GET", "path": "/:segment1"},
            {"method": "ALL", "path": "/static/*"},
            {"method": "GET", "path": "/"},
        ]

    def test_asks_middleware_about_everything(self) -> None:
        app = starlette(Route("/a", hello), middleware=[Middleware(Around)])
        everything = {"method": "ALL", "path": "/*"}
        one = {"method": "GET", "path": "/a"}
        assert Host(app).loaded.routes == [everything, one]
        wrapped = CORSMiddleware(starlette(Route("/a", hello)))
        assert Host(wrapped).loaded.routes == [everything, one]

    def test_leaves_the_docs_to_the_server(self) -> None:
        app, router = FastAPI(), APIRouter(prefix="/team")
        router.get("/{member}")(hello)
        app.include_router(router, prefix="/v1")
        assert Host(app).loaded.routes == [
            {"method": "GET", "path": "/docs/oauth2-redirect"},
            {"method": "GET", "path": "/redoc"},
            {"method": "GET", "path": "/v1/team/:member"},
        ]

    def test_says_that_web_sockets_are_not_reached(self) -> None:
        host = Host(starlette(WebSocketRoute("/live", hello)))
        assert host.loaded.routes == []
        assert "the route /live is for WebSockets" in host.told[0]["message"]

    @pytest.mark.parametrize("exported", [None, {"routes": []}, Starlette, hello, lambda: None])
    def test_says_what_is_no_app(self, exported: Any) -> None:
        with pytest.raises(AppError, match=r'"app" of /project/routes.py is no ASGI app'):
            LoadedRoutes(exported, SPEC, print)


class TestHandle:
    async def test_answers_with_what_it_was_asked_and_what_every_answer_has(self) -> None:
        host = Host(starlette(Route("/hello/{name}", hello)))
        status, headers, body = await host.ask("/hello/y%20u?polite=yes")
        assert (status, body) == (200, b'{"hello":"y u","polite":"yes"}')
        assert headers["x-request-id"] == "r1"

    async def test_knows_who_asks_and_from_where(self) -> None:
        async def whoami(request: StarletteRequest) -> StarletteResponse:
            assert request.client
            return JSONResponse(
                [
                    request.user.identity,
                    request.user["team"],
                    request.auth.scopes,
                    request.client.host,
                    request.client.port,
                    request.url.path,
                    request.base_url.path,
                    str(request.url_for("whoami")),
                ]
            )

        user = {"identity": "ann", "team": "red", "permissions": ["read"]}
        remote = {"address": "192.0.2.1", "port": 5, "family": "IPv4"}
        host = Host(starlette(Route("/whoami", whoami, name="whoami")))
        _, _, body = await host.ask("/whoami", user=user, remote=remote)
        assert (
            JSONResponse(
                [
                    "ann",
                    "red",
                    ["read"],
                    "192.0.2.1",
                    5,
                    "/below/whoami",
                    "/below/",
                    "http://localhost:2024/below/whoami",
                ]
            ).body
            == body
        )

    async def test_takes_bodies_and_answers_with_bodies_byte_by_byte(self) -> None:
        host = Host(starlette(Route("/echo", echo, methods=["POST"])))
        status, _, body = await host.ask("/echo", b"\x00\xff", b"\x80", method="POST")
        assert (status, body) == (201, b"\x00\xff\x80")

    async def test_may_answer_in_place_of_what_comes_next(self) -> None:
        host = Host(starlette(middleware=[Middleware(Around)]))
        status, headers, body = await host.ask("/x", request_headers=[("x-blocked", "1")])
        assert (status, body, headers["x-request-id"]) == (418, b"Not today.", "r1")

    async def test_may_change_what_it_passes_on_and_what_comes_back(self) -> None:
        host = Host(starlette(middleware=[Middleware(Around)]))
        status, headers, body = await host.ask("/x?a=b%20c", b"se", b"nt", method="POST")
        assert status == 202
        assert body == b"POST http://localhost:2024/below/x?a=b%20c yes sent"
        assert (headers["x-by"], headers["x-api"]) == ("the project", "yes")
        assert "x-request-id" not in headers

    async def test_may_read_a_body_which_is_there_again_for_who_comes_next(self) -> None:
        host = Host(starlette(middleware=[Middleware(Around)]))
        _, headers, body = await host.ask("/read", b"se", b"nt", method="POST")
        assert headers["x-read"] == "sent"
        assert body.endswith(b" sent")

    async def test_may_send_another_body_of_any_length(self) -> None:
        class Other:
            def __init__(self, app: Any) -> None:
                self._app = app

            async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
                async def other() -> Any:
                    return {"type": "http.request", "body": b"other", "more_body": False}

                headers = [pair for pair in scope["headers"] if pair[0] != b"content-length"]
                await self._app({**scope, "headers": headers}, other, send)

        seen: list[Headers] = []

        async def note(request: Request, body: AsyncIterator[bytes], headers: Headers) -> PassedOn:
            seen.append(request.headers)
            return await api(request, body, headers)

        host = Host(starlette(middleware=[Middleware(Other)]))
        sent = [("content-length", "4")]
        _, _, body = await host.ask("/x", b"sent", method="PUT", request_headers=sent, next=note)
        assert body.endswith(b" other")
        assert seen == [[("transfer-encoding", "chunked")]]

    async def test_is_told_what_a_route_of_the_server_threw(self) -> None:
        async def fails(*_: Any) -> PassedOn:
            error = {"name": "TypeError", "message": "not so"}
            return PassedOn(Response(500, [], chunks(b"failed")), error)

        host = Host(starlette(middleware=[Middleware(Around)]))
        status, headers, _ = await host.ask("/x", next=fails)
        assert (status, headers["x-error"]) == (500, "TypeError: not so")

    async def test_passes_on_what_none_of_the_routes_answers(self) -> None:
        host = Host(starlette(Route("/echo", echo, methods=["POST"])))
        assert (await host.ask("/nowhere"))[0] == 202
        assert (await host.ask("/echo"))[0] == 202

    async def test_passes_on_what_an_app_wrapped_by_others_does_not_answer(self) -> None:
        app = CORSMiddleware(starlette(Route("/hello/{name}", hello)), allow_origins=["*"])
        host = Host(app)
        status, headers, _ = await host.ask("/threads", request_headers=[("origin", "http://a")])
        assert (status, headers["access-control-allow-origin"]) == (202, "*")
        assert (await host.ask("/hello/you"))[0] == 200

    async def test_passes_on_what_an_app_of_another_kind_does_not_know(self) -> None:
        async def app(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "lifespan":
                raise AssertionError("no lifespan here")
            await receive()
            status = 200 if scope["path"] == "/below/mine" else 404
            await send({"type": "http.response.start", "status": status, "headers": []})
            await send({"type": "http.response.body", "body": b"mine"})

        host = Host(app)
        await host.loaded.start()
        assert (await host.ask("/mine"))[0::2] == (200, b"mine")
        status, _, body = await host.ask("/threads", b"a", b"b", method="POST")
        assert (status, body) == (202, b"POST http://localhost:2024/below/threads  ab")
        await host.loaded.stop()

    async def test_answers_and_logs_its_failures(self) -> None:
        host = Host(starlette(Route("/throws", throws)))
        status, headers, body = await host.ask("/throws")
        assert (status, headers["x-request-id"]) == (500, "r1")
        assert b"the log says more" in body
        failure = (await host.loaded.handle(asked("/throws"))).failure
        assert failure is not None
        assert failure["message"] == "'the cellar is flooded'"
        assert "starlette" not in failure["stack"]
        assert 'raise KeyError("the cellar is flooded")' in failure["stack"]
        assert host.told == []

    async def test_has_failures_answered_by_the_project_itself(self) -> None:
        async def answer(request: Any, error: Exception) -> StarletteResponse:
            return PlainTextResponse(f"careful: {error}", 503)

        host = Host(starlette(Route("/throws", throws), exception_handlers={KeyError: answer}))
        assert (await host.ask("/throws"))[0] == 503
        assert host.told == []
        host = Host(starlette(Route("/throws", throws), exception_handlers={Exception: answer}))
        assert (await host.ask("/throws"))[0] == 503
        await host.loaded.stop()
        [told] = host.told
        assert (told["kind"], told["level"]) == ("log", "error")
        assert told["error"]["message"] == "'the cellar is flooded'"
        assert told["fields"] == {"method": "GET", "path": "/throws"}

    async def test_answers_for_an_app_that_does_not(self) -> None:
        async def silent(scope: Any, receive: Any, send: Any) -> None:
            return None

        host = Host(silent)
        answer = await host.loaded.handle(asked("/x"))
        assert (answer.status, answer.failure is None) == (500, False)
        assert "has not answered" in str(answer.failure)

    async def test_ends_an_answer_that_breaks(self) -> None:
        async def parts() -> AsyncIterator[bytes]:
            yield b"a"
            raise KeyError("the pump")

        async def broken(request: StarletteRequest) -> StarletteResponse:
            return StreamingResponse(parts())

        host = Host(starlette(Route("/broken", broken)))
        answer = await host.loaded.handle(asked("/broken"))
        assert await anext(answer.body) == b"a"
        with pytest.raises(Exception):  # noqa: B017, PT011
            await anext(answer.body)
        assert host.told[0]["error"]["message"] == "'the pump'"


class TestStreams:
    async def test_makes_no_more_than_is_taken(self) -> None:
        made: list[int] = []

        async def numbers() -> AsyncIterator[bytes]:
            for number in range(100):
                made.append(number)
                yield b"x"

        async def many(request: StarletteRequest) -> StarletteResponse:
            return StreamingResponse(numbers())

        answer = await Host(starlette(Route("/many", many))).loaded.handle(asked("/many"))
        await anext(answer.body)
        for _ in range(20):
            await asyncio.sleep(0)
        assert len(made) <= 2

    async def test_reads_no_more_than_is_wanted(self) -> None:
        read: list[int] = []

        async def body() -> AsyncIterator[bytes]:
            for number in range(100):
                read.append(number)
                yield b"x"

        async def first(request: StarletteRequest) -> StarletteResponse:
            return PlainTextResponse((await anext(request.stream())).decode())

        host = Host(starlette(Route("/first", first, methods=["POST"])))
        assert (await host.ask("/first", method="POST", body=body()))[2] == b"x"
        assert len(read) == 1

    async def test_tells_a_stream_that_its_client_has_left(self) -> None:
        ended = asyncio.Event()

        async def for_ever() -> AsyncIterator[bytes]:
            try:
                yield b"x"
                await asyncio.Event().wait()
            finally:
                ended.set()

        async def live(request: StarletteRequest) -> StarletteResponse:
            return StreamingResponse(for_ever())

        answer = await Host(starlette(Route("/live", live))).loaded.handle(asked("/live"))
        await anext(answer.body)
        await answer.body.aclose()  # type: ignore[attr-defined]
        await asyncio.wait_for(ended.wait(), 5)

    async def test_tells_a_stream_of_an_unread_body_that_its_client_has_left(self) -> None:
        ended = asyncio.Event()

        async def zeros() -> AsyncIterator[bytes]:
            while True:
                yield b"0"

        async def live(request: StarletteRequest) -> StarletteResponse:
            async def echo_all() -> AsyncIterator[bytes]:
                try:
                    async for chunk in request.stream():
                        yield chunk
                finally:
                    ended.set()

            return StreamingResponse(echo_all())

        host = Host(starlette(Route("/live", live, methods=["POST"])))
        answer = await host.loaded.handle(asked("/live", method="POST", body=zeros()))
        assert await anext(answer.body) == b"0"
        await answer.body.aclose()  # type: ignore[attr-defined]
        await asyncio.wait_for(ended.wait(), 5)
        await host.loaded.stop()
        assert host.told == []

    async def test_tells_a_route_that_its_client_has_left_before_the_answer(self) -> None:
        begun, left = asyncio.Event(), asyncio.Event()

        async def waits(request: StarletteRequest) -> StarletteResponse:
            assert (await request.receive())["type"] == "http.request"
            begun.set()
            assert (await request.receive())["type"] == "http.disconnect"
            left.set()
            return PlainTextResponse("never")

        host = Host(starlette(Route("/waits", waits)))
        task = asyncio.create_task(host.loaded.handle(asked("/waits")))
        await begun.wait()
        task.cancel()
        await asyncio.wait_for(left.wait(), 5)

    @pytest.mark.parametrize("middleware", [[], [Middleware(Around)]])
    async def test_lets_the_api_know_that_its_client_has_left(self, middleware: Any) -> None:
        ended = asyncio.Event()

        async def endless(*_: Any) -> PassedOn:
            async def body() -> AsyncIterator[bytes]:
                try:
                    yield b"x"
                    await asyncio.Event().wait()
                finally:
                    ended.set()

            return PassedOn(Response(200, [], body()), None)

        host = Host(starlette(middleware=middleware))
        answer = await host.loaded.handle(asked("/runs/stream", next=endless))
        await anext(answer.body)
        await answer.body.aclose()  # type: ignore[attr-defined]
        await asyncio.wait_for(ended.wait(), 5)
        await host.loaded.stop()
        assert host.told == []

    async def test_does_background_tasks_before_it_stops(self) -> None:
        done: list[str] = []
        go = asyncio.Event()

        async def later() -> None:
            await go.wait()
            done.append("later")

        async def background(request: StarletteRequest) -> StarletteResponse:
            return PlainTextResponse("ok", background=BackgroundTask(later))

        host = Host(starlette(Route("/background", background)))
        assert (await host.ask("/background"))[2] == b"ok"
        stopping = asyncio.create_task(host.loaded.stop())
        await asyncio.sleep(0)
        assert done == []
        go.set()
        await stopping
        assert done == ["later"]


class TestLifespan:
    async def test_lasts_as_long_as_the_host(self) -> None:
        events: list[str] = []

        @asynccontextmanager
        async def lifespan(app: Any) -> AsyncIterator[dict[str, str]]:
            events.append("begun")
            yield {"pool": "open"}
            events.append("ended")

        async def pool(request: StarletteRequest) -> StarletteResponse:
            return PlainTextResponse(request.state.pool)

        host = Host(starlette(Route("/pool", pool), lifespan=lifespan))
        await host.loaded.start()
        assert events == ["begun"]
        assert (await host.ask("/pool"))[2] == b"open"
        await host.loaded.stop()
        await host.loaded.stop()
        assert events == ["begun", "ended"]

    async def test_says_why_it_could_not_begin(self) -> None:
        @asynccontextmanager
        async def lifespan(app: Any) -> AsyncIterator[None]:
            raise ConnectionError("no database")
            yield

        with pytest.raises(AppError, match="could not be started") as refusal:
            await Host(starlette(lifespan=lifespan)).loaded.start()
        assert refusal.value.code == "bad_request"
        assert "ConnectionError: no database" in str(refusal.value)

    async def test_says_why_it_could_not_end(self) -> None:
        @asynccontextmanager
        async def lifespan(app: Any) -> AsyncIterator[None]:
            yield
            raise ConnectionError("stuck")

        host = Host(starlette(lifespan=lifespan))
        await host.loaded.start()
        await host.loaded.stop()
        assert "stuck" in host.told[0]["message"]
