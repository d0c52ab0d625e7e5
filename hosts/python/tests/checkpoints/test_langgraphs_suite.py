"""LangGraph's own suite for checkpointers.

Copies, prunes and deletions by run are the server's operations: they are tried where there is one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.conformance.spec.test_copy_thread import ALL_COPY_THREAD_TESTS
from langgraph.checkpoint.conformance.spec.test_delete_for_runs import ALL_DELETE_FOR_RUNS_TESTS
from langgraph.checkpoint.conformance.spec.test_delete_thread import ALL_DELETE_THREAD_TESTS
from langgraph.checkpoint.conformance.spec.test_get_tuple import ALL_GET_TUPLE_TESTS
from langgraph.checkpoint.conformance.spec.test_list import ALL_LIST_TESTS
from langgraph.checkpoint.conformance.spec.test_prune import ALL_PRUNE_TESTS
from langgraph.checkpoint.conformance.spec.test_put import ALL_PUT_TESTS
from langgraph.checkpoint.conformance.spec.test_put_writes import ALL_PUT_WRITES_TESTS

from runyard_host.checkpoints.checkpointer import HostCheckpointer
from runyard_host.peer import Peer

from ..connection import SERVER
from .noted import NotedCheckpoints

_OF_GRAPHS = [
    *ALL_PUT_TESTS,
    *ALL_PUT_WRITES_TESTS,
    *ALL_GET_TUPLE_TESTS,
    *ALL_LIST_TESTS,
    *ALL_DELETE_THREAD_TESTS,
]
_OF_SERVERS = [*ALL_COPY_THREAD_TESTS, *ALL_DELETE_FOR_RUNS_TESTS, *ALL_PRUNE_TESTS]

Case = Callable[[HostCheckpointer], Awaitable[None]]


def _name(case: Case) -> str:
    return getattr(case, "__name__", repr(case)).removeprefix("test_")


@pytest.mark.parametrize("case", _OF_GRAPHS, ids=_name)
async def test_what_graphs_ask(checkpoints: NotedCheckpoints, case: Case) -> None:
    await case(HostCheckpointer(checkpoints))


if SERVER is not None:

    @pytest.mark.parametrize("case", _OF_SERVERS, ids=_name)
    async def test_what_servers_do(checkpoints: NotedCheckpoints, server: Peer, case: Case) -> None:
        await case(ServedCheckpointer(checkpoints, server))


class ServedCheckpointer(HostCheckpointer):
    """With the operations that the API has, as the suite knows them.

    The run is the one that the suite names in the checkpoint's metadata.
    """

    def __init__(self, checkpoints: NotedCheckpoints, server: Peer) -> None:
        super().__init__(checkpoints)
        self._server = server
        self._threads: dict[str, set[str]] = {}

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        self._run_id = metadata.get("run_id")
        stored = await super().aput(config, checkpoint, metadata, new_versions)
        if self._run_id:
            self._threads.setdefault(self._run_id, set()).add(stored["configurable"]["thread_id"])
        return stored

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        await self._do("copy_thread", source_thread_id, target_thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        for run_id in run_ids:
            for thread_id in self._threads.get(run_id, {"none"}):
                await self._do("delete_run", thread_id, run_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        ways = {"keep_latest": "keep_latest", "delete": "delete_thread"}
        for thread_id in thread_ids:
            await self._do(ways[strategy], thread_id)

    async def _do(self, operation: str, *ids: Any) -> None:
        await self._server.call("test", {"operation": operation, "ids": list(ids)})
