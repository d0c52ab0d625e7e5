"""Two ends on one socket pair, and what passes between them."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from runyard_host.errors import AppError, DatabaseAway, ServerError
from runyard_host.peer import Call, Peer
from runyard_host.port import Json, JsonObject


class ServerEnd(Peer):
    """The other end."""

    first_id = 1

    def __init__(self, on_call: Callable[[Call], Awaitable[Json]]) -> None:
        self.noted: list[tuple[str, JsonObject]] = []
        super().__init__(on_call, self.note_down)

    def note_down(self, method: str, params: JsonObject) -> None:
        self.noted.append((method, params))


async def connect(
    on_host: Callable[[Call], Awaitable[Json]], on_server: Callable[[Call], Awaitable[Json]]
) -> tuple[Peer, ServerEnd]:
    host, server = Peer(on_host, lambda method, params: None), ServerEnd(on_server)
    loop = asyncio.get_running_loop()
    for_host, for_server = socket.socketpair()
    await loop.create_connection(lambda: host, sock=for_host)
    await loop.create_connection(lambda: server, sock=for_server)
    return host, server


async def refuse(call: Call) -> Json:
    raise AppError("not_found", f"There is no {call.method}.")


async def test_a_call_is_answered_with_what_was_made_of_its_params() -> None:
    async def double(call: Call) -> Json:
        return {"of": call.method, "twice": call.params["n"] * 2, "bytes": b"\x00\xff"}

    host, _ = await connect(refuse, double)
    call = await host.finished(host.begin("double", {"n": 21}))
    assert call.answer.result() == {"of": "double", "twice": 42, "bytes": 0}
    assert call.data == [b"\x00\xff"]


@pytest.mark.parametrize(
    "value",
    [
        2**53 + 1,
        1234567890123456789,
        -(2**63),
        2**64,
        10**40,
        2.0,
        -0.0,
        1e16,
        1e300,
        0.1,
        "é\U0001f600",
    ],
)
async def test_numbers_stay_what_they_are(value: Json) -> None:
    async def same(call: Call) -> Json:
        return call.params["value"]

    host, _ = await connect(refuse, same)
    answer = await host.call("same", {"value": value})
    assert repr(answer) == repr(value)


async def test_numbers_that_json_lacks_are_none() -> None:
    async def same(call: Call) -> Json:
        return call.params["value"]

    host, _ = await connect(refuse, same)
    value = {"nan": float("nan"), "far": [float("inf"), 1.5], "bytes": b"x"}
    assert await host.call("same", {"value": value}) == {
        "nan": None,
        "far": [None, 1.5],
        "bytes": 0,
    }


async def test_errors_arrive_as_what_they_are() -> None:
    errors = {"away": DatabaseAway("gone"), "app": AppError("conflict", "no"), "any": KeyError("k")}

    async def fail(call: Call) -> Json:
        raise errors[call.method]

    host, _ = await connect(refuse, fail)
    with pytest.raises(DatabaseAway, match="gone"):
        await host.call("away", {})
    with pytest.raises(AppError, match="no") as refused:
        await host.call("app", {})
    assert refused.value.code == "conflict"
    with pytest.raises(ServerError, match="'k'") as broken:
        await host.call("any", {})
    assert broken.value.name == "KeyError"


async def test_a_value_that_cannot_be_sent_fails_its_call_alone() -> None:
    async def answer(call: Call) -> Json:
        return object() if call.method == "broken" else call.method

    host, _ = await connect(refuse, answer)
    with pytest.raises(ServerError):
        await host.call("broken", {})
    with pytest.raises(TypeError):
        await host.call("mine", {"value": object()})
    assert await host.call("fine", {}) == "fine"


async def test_who_sends_waits_when_the_reader_does_not_read() -> None:
    sent = 0

    async def count(call: Call) -> Json:
        nonlocal sent
        for number in range(100):
            await call.send(number)
            sent = number + 1
        return "done"

    host, _ = await connect(refuse, count)
    call = host.begin("count", {})
    assert await anext(call.items) == 0
    await asyncio.sleep(0.05)
    assert sent == 16
    assert [number async for number in call.items] == list(range(1, 100))
    assert await call.answer == "done"


async def test_the_rest_of_a_stream_can_be_thrown_away() -> None:
    ended = asyncio.Event()

    async def endless(call: Call) -> Json:
        while await call.send("more"):
            pass
        ended.set()
        return None

    host, _ = await connect(refuse, endless)
    call = host.begin("endless", {})
    assert await anext(call.items) == "more"
    await call.items.aclose()
    await asyncio.wait_for(ended.wait(), 1)
    assert await call.answer is None


async def test_an_upload_is_read_as_it_is_taken() -> None:
    async def join(call: Call) -> Json:
        return b"".join([chunk async for chunk in call.upload])

    async def chunks() -> AsyncIterator[bytes]:
        for number in range(50):
            yield bytes([number])

    host, _ = await connect(refuse, join)
    assert await host.begin("join", {}, chunks()).answer == bytes(range(50))


async def test_a_cancelled_caller_aborts_the_signal() -> None:
    aborted = asyncio.Event()

    async def wait(call: Call) -> Json:
        call.on_abort(aborted.set)
        await aborted.wait()
        return None

    host, _ = await connect(refuse, wait)
    task = asyncio.create_task(host.call("wait", {}))
    await asyncio.sleep(0.02)
    task.cancel()
    await asyncio.wait_for(aborted.wait(), 1)
    assert await host.call("wait", {}) is None


async def test_when_the_other_end_is_gone_every_call_fails() -> None:
    async def never(call: Call) -> Json:
        await asyncio.Event().wait()

    host, server = await connect(refuse, never)
    waiting = asyncio.create_task(host.call("never", {}))
    await asyncio.sleep(0.02)
    server.close()
    with pytest.raises(AppError, match="connection"):
        await waiting
    await host.ended
    with pytest.raises(AppError, match="connection"):
        await host.call("never", {})


async def test_notes_can_be_sent_from_any_thread_and_text_may_hold_anything() -> None:
    host, server = await connect(refuse, refuse)
    await asyncio.to_thread(host.note, "on_node", {"place": {"node": "n\ud800"}})
    await asyncio.sleep(0.05)
    assert server.noted == [("on_node", {"place": {"node": "n?"}})]
