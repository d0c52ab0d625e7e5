"""A project's ``auth``, as the agent server asks it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from langgraph_sdk import Auth
from starlette.requests import Request as StarletteRequest

from runyard_host.auth import LoadedAuth
from runyard_host.errors import AppError, ProjectRefusal, to_wire_error
from runyard_host.port import JsonObject, Request

THREAD = "0b8d4a66-0f5c-4f0e-8b1b-6a5e2f7a9c01"
RUN = "0b8d4a66-0f5c-4f0e-8b1b-6a5e2f7a9c02"
SPEC: JsonObject = {"path": "/project/auth.py", "export": "auth"}


def request(path: str = "/threads", method: str = "GET", **headers: str) -> Request:
    pairs = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return Request(method, f"http://localhost{path}", pairs)


def loaded(authenticate: Any) -> LoadedAuth:
    auth = Auth()
    auth.authenticate(authenticate)
    return LoadedAuth(auth, SPEC)


def question(event: str, value: JsonObject | None = None, **user: Any) -> JsonObject:
    resource, action = event.split(":")
    known = {"identity": "me", "display_name": "me", "is_authenticated": True, "permissions": []}
    return {
        "user": known | user,
        "permissions": user.get("permissions", []),
        "event": {"resource": resource, "action": action},
        "value": {} if value is None else value,
    }


async def nobody() -> str:
    return "me"


class TestAuthenticate:
    async def test_takes_any_of_the_parameters_of_a_request(self) -> None:
        seen: JsonObject = {}

        async def authenticate(  # noqa: PLR0917
            request: StarletteRequest,
            body: Any,
            path: str,
            method: str,
            path_params: Mapping[str, str],
            query_params: Mapping[str, str],
            headers: Mapping[bytes, bytes],
            authorization: str | None,
            other: int = 3,
        ) -> str:
            seen.update(locals())
            assert await request.json() == {"a": 1}
            return "alice"

        auth = loaded(authenticate)
        asked = request(
            f"/threads/{THREAD}/runs/{RUN}/stream?x=1&y=", "POST", Authorization="Bearer t", x_a="b"
        )
        user = await auth.authenticate(asked, b'{"a": 1}')

        assert auth.wants_body
        assert user["identity"] == "alice"
        assert seen["body"] == {"a": 1}
        assert seen["path"] == f"/threads/{THREAD}/runs/{RUN}/stream"
        assert seen["method"] == "POST"
        assert seen["path_params"] == {"thread_id": THREAD, "run_id": RUN}
        assert seen["query_params"] == {"x": "1", "y": ""}
        assert seen["headers"] == {b"authorization": b"Bearer t", b"x-a": b"b"}
        assert seen["authorization"] == "Bearer t"
        assert seen["request"].headers["x-a"] == "b"
        assert seen["request"].path_params["run_id"] == RUN
        assert seen["other"] == 3

    async def test_takes_all_of_them_by_keywords(self) -> None:
        def authenticate(**given: Any) -> str:
            return str(given["method"])

        assert (await loaded(authenticate).authenticate(request(), None))["identity"] == "GET"

    async def test_has_no_authorization_where_there_is_none(self) -> None:
        async def authenticate(authorization: str | None) -> str:
            return repr(authorization)

        assert (await loaded(authenticate).authenticate(request(), None))["identity"] == "None"

    async def test_says_how_to_get_at_the_body(self) -> None:
        async def authenticate(request: StarletteRequest) -> str:
            await request.body()
            return "never"

        auth = loaded(authenticate)
        assert not auth.wants_body
        with pytest.raises(AppError) as refusal:
            await auth.authenticate(request(), None)
        assert refusal.value.code == "internal"
        assert "the parameter `body`" in str(refusal.value.__cause__)

    @pytest.mark.parametrize("answer", ["alice", {"identity": "alice"}])
    async def test_fills_in_what_a_user_has(self, answer: Any) -> None:
        assert await loaded(lambda: answer).authenticate(request(), None) == {
            "identity": "alice",
            "display_name": "alice",
            "is_authenticated": True,
            "permissions": [],
        }

    async def test_keeps_whatever_else_the_project_knows(self) -> None:
        async def authenticate() -> JsonObject:
            return {"identity": "a", "permissions": ("x", "y"), "org": UUID(THREAD), "n": {"m": 1}}

        user = await loaded(authenticate).authenticate(request(), None)
        assert user["permissions"] == ["x", "y"]
        assert user["org"] == THREAD
        assert user["n"] == {"m": 1}

    async def test_takes_objects_with_an_identity(self) -> None:
        class Person:
            def __init__(self) -> None:
                self.team = "red"
                self._secret = "no"

            @property
            def identity(self) -> str:
                return "ann"

            @property
            def permissions(self) -> list[str]:
                return ["read"]

        user = await loaded(Person).authenticate(request(), None)
        assert user == {
            "identity": "ann",
            "display_name": "ann",
            "is_authenticated": True,
            "permissions": ["read"],
            "team": "red",
        }

    async def test_takes_dataclasses(self) -> None:
        @dataclass
        class Person:
            identity: str
            display_name: str

        user = await loaded(lambda: Person("ann", "Ann")).authenticate(request(), None)
        assert (user["identity"], user["display_name"]) == ("ann", "Ann")

    @pytest.mark.parametrize(
        "answer", [None, False, "", {"identity": "a", "is_authenticated": False}]
    )
    async def test_recognises_nobody(self, answer: Any) -> None:
        with pytest.raises(AppError) as refusal:
            await loaded(lambda: answer).authenticate(request(), None)
        assert refusal.value.code == "unauthenticated"

    @pytest.mark.parametrize("answer", [3, {"id": "a"}, {"identity": 3}, object()])
    async def test_lets_nobody_in_with_an_answer_that_is_no_user(self, answer: Any) -> None:
        with pytest.raises(AppError) as refusal:
            await loaded(lambda: answer).authenticate(request(), None)
        assert refusal.value.code == "internal"

    async def test_refuses_with_the_status_and_the_headers_that_it_chose(self) -> None:
        async def authenticate() -> str:
            headers = {"WWW-Authenticate": "Bearer"}
            raise Auth.exceptions.HTTPException(status_code=402, detail="Pay.", headers=headers)

        with pytest.raises(ProjectRefusal) as refusal:
            await loaded(authenticate).authenticate(request(), None)
        assert to_wire_error(refusal.value) | {"stack": ""} == {
            "name": "ProjectRefusal",
            "message": "Pay.",
            "status": 402,
            "headers": [["WWW-Authenticate", "Bearer"]],
            "stack": "",
        }

    async def test_refuses_with_the_exceptions_of_starlette(self) -> None:
        from starlette.exceptions import HTTPException

        async def authenticate() -> str:
            raise HTTPException(403)

        with pytest.raises(ProjectRefusal) as refusal:
            await loaded(authenticate).authenticate(request(), None)
        assert (refusal.value.status, str(refusal.value)) == (403, "Forbidden")

    async def test_takes_a_failed_assertion_for_nobody(self) -> None:
        async def authenticate(authorization: str | None) -> str:
            if not authorization:
                raise AssertionError("Log in first.")
            return "never"

        with pytest.raises(AppError) as refusal:
            await loaded(authenticate).authenticate(request(), None)
        assert (refusal.value.code, str(refusal.value)) == ("unauthenticated", "Log in first.")

    async def test_lets_nobody_in_when_it_breaks(self) -> None:
        async def authenticate() -> str:
            raise KeyError("the list of users is gone")

        with pytest.raises(AppError) as refusal:
            await loaded(authenticate).authenticate(request(), None)
        assert refusal.value.code == "internal"
        assert "list of users" not in str(refusal.value)
        assert "list of users" in to_wire_error(refusal.value)["cause"]["message"]

    def test_says_which_parameter_no_request_has(self) -> None:
        async def authenticate(token: str) -> str:
            return token

        with pytest.raises(AppError, match="authenticate takes token, which no request has"):
            loaded(authenticate)

    def test_fills_in_nothing_that_is_fastapis(self) -> None:
        from fastapi import Depends

        async def authenticate(path: str, user: str = Depends(nobody)) -> str:
            return user

        with pytest.raises(AppError, match="has user filled in by FastAPI"):
            loaded(authenticate)

    def test_says_what_is_no_auth(self) -> None:
        with pytest.raises(AppError, match=r'"auth" of /project/auth.py is no Auth'):
            LoadedAuth(object(), SPEC)
        with pytest.raises(AppError, match="recognises nobody"):
            LoadedAuth(Auth(), SPEC)


class TestAuthorize:
    @pytest.mark.parametrize(
        ("event", "asked"),
        [
            ("threads:create", "threads:create"),
            ("threads:read", "threads"),
            ("crons:search", "*:search"),
            ("threads:search", "threads"),
            ("crons:read", "*"),
            ("store:get", "store:get"),
        ],
    )
    async def test_asks_the_handler_that_fits_best(self, event: str, asked: str) -> None:
        auth = Auth()
        auth.authenticate(nobody)

        def handler(name: str) -> Any:
            async def answer(ctx: Any, value: Any) -> Any:
                return {"asked": name}

            return answer

        auth.on(handler("*"))
        auth.on(actions="search")(handler("*:search"))
        auth.on.threads(handler("threads"))
        auth.on.threads.create(handler("threads:create"))
        auth.on.store.get(handler("store:get"))

        decision = await LoadedAuth(auth, SPEC).authorize(question(event))
        assert decision["filter"] == {"asked": asked}

    async def test_allows_what_it_has_no_handler_for(self) -> None:
        value = {"limit": 1}
        decision = await loaded(nobody).authorize(question("crons:create", value))
        assert decision == {"value": {"limit": 1}}

    async def test_knows_the_operation_and_the_user(self) -> None:
        auth = Auth()
        auth.authenticate(nobody)
        seen: list[Any] = []

        @auth.on
        async def everything(ctx: Auth.types.AuthContext, value: Any) -> None:
            seen.append(ctx)

        asked = question("threads:read", permissions=["p"], team="red")
        await LoadedAuth(auth, SPEC).authorize(asked)
        [ctx] = seen
        assert isinstance(ctx, Auth.types.AuthContext)
        assert (ctx.resource, ctx.action, ctx.permissions) == ("threads", "read", ["p"])
        assert isinstance(ctx.user, Auth.types.BaseUser)
        assert ctx.user.identity == ctx.user["identity"] == "me"
        assert ctx.user.team == "red"  # type: ignore[attr-defined]
        assert "team" in ctx.user
        assert not hasattr(ctx.user, "org")

    async def test_knows_who_works_with_studio(self) -> None:
        auth = Auth()
        auth.authenticate(nobody)

        @auth.on
        async def studio_alone(ctx: Auth.types.AuthContext, value: Any) -> bool:
            return isinstance(ctx.user, Auth.types.StudioUser) and ctx.user.is_authenticated

        loaded_auth = LoadedAuth(auth, SPEC)
        await loaded_auth.authorize(question("threads:read", kind="StudioUser"))
        with pytest.raises(AppError) as refusal:
            await loaded_auth.authorize(question("threads:read"))
        assert refusal.value.code == "forbidden"

    async def test_changes_what_is_written(self) -> None:
        auth = Auth()
        auth.authenticate(nobody)

        @auth.on.threads.create
        async def create(ctx: Any, value: Any) -> Any:
            assert value["thread_id"] == UUID(THREAD)
            value.setdefault("metadata", {})["owner"] = ctx.user.identity
            value["metadata"]["org"] = UUID(RUN)
            del value["if_exists"]
            return {"owner": ctx.user.identity}

        given = {"thread_id": THREAD, "if_exists": "raise", "metadata": {"a": 1}}
        assert await LoadedAuth(auth, SPEC).authorize(question("threads:create", given)) == {
            "value": {"thread_id": THREAD, "metadata": {"a": 1, "owner": "me", "org": RUN}},
            "filter": {"owner": "me"},
        }

    async def test_puts_items_of_the_store_elsewhere(self) -> None:
        auth = Auth()
        auth.authenticate(nobody)

        @auth.on.store
        async def scope(ctx: Any, value: Any) -> None:
            assert isinstance(value["namespace"], tuple)
            value["namespace"] = (ctx.user.identity, *value["namespace"])

        given = {"namespace": ["notes"], "key": "k"}
        decision = await LoadedAuth(auth, SPEC).authorize(question("store:put", given))
        assert decision == {"value": {"namespace": ["me", "notes"], "key": "k"}}

    @pytest.mark.parametrize(
        ("answer", "read"),
        [
            ({"n": 3}, {"n": {"$eq": 3}}),
            ({"org": UUID(RUN)}, {"org": RUN}),
            ({"gone": None}, {"gone": {"$eq": None}}),
            ({"t": {"$contains": ("a", "b")}}, {"t": {"$contains": ["a", "b"]}}),
            ({"$or": [{"a": "1"}, {"b": True}]}, {"$or": [{"a": "1"}, {"b": {"$eq": True}}]}),
        ],
    )
    async def test_reads_filters(self, answer: Any, read: Any) -> None:
        assert (await self.answering(answer))["filter"] == read

    @pytest.mark.parametrize("answer", [None, True, {}])
    async def test_lets_everything_be_seen(self, answer: Any) -> None:
        assert not (await self.answering(answer)).get("filter")

    @pytest.mark.parametrize(
        "answer",
        [
            "me",
            3,
            ["owner"],
            {"a": ["x"]},
            {"a": {"$gt": 3}},
            {"a": {"$eq": 1, "$contains": 2}},
            {"a": object()},
            {"$or": []},
            {"$and": [{}]},
        ],
    )
    async def test_lets_nothing_through_a_filter_that_is_none(self, answer: Any) -> None:
        with pytest.raises(AppError) as refusal:
            await self.answering(answer)
        assert refusal.value.code == "internal"

    async def test_forbids(self) -> None:
        with pytest.raises(AppError) as refusal:
            await self.answering(False)
        assert refusal.value.code == "forbidden"

    async def test_takes_a_failed_assertion_for_a_no(self) -> None:
        auth = Auth()
        auth.authenticate(nobody)

        @auth.on
        async def mine_alone(ctx: Any, value: Any) -> None:
            raise AssertionError("Not yours.")

        with pytest.raises(AppError) as refusal:
            await LoadedAuth(auth, SPEC).authorize(question("crons:read"))
        assert (refusal.value.code, str(refusal.value)) == ("forbidden", "Not yours.")

    async def test_stores_nothing_that_is_no_json(self) -> None:
        auth = Auth()
        auth.authenticate(nobody)

        @auth.on
        async def spoil(ctx: Any, value: Any) -> None:
            value["metadata"] = {"a": object()}

        with pytest.raises(AppError) as refusal:
            await LoadedAuth(auth, SPEC).authorize(question("crons:create"))
        assert refusal.value.code == "internal"

    @staticmethod
    async def answering(answer: Any) -> JsonObject:
        auth = Auth()
        auth.authenticate(nobody)

        @auth.on
        async def everything(ctx: Any, value: Any) -> Any:
            return answer

        return await LoadedAuth(auth, SPEC).authorize(question("threads:search"))
