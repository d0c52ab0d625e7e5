/** The command that lists the graphs of a run. */

import type { AgentStatus } from '../../core/agent/protocol.ts'
import type { QueuedRun, RunStatus } from '../../core/agent/run.ts'
import type { Thread } from '../../core/agent/thread.ts'
import { parseJson } from '../../core/exact-json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { getThread } from '../threads/threads.ts'
import { ProtocolError } from './protocol-error.ts'
import { type CommandContext, GetTreeSchema, readParams } from './protocol-schemas.ts'

interface Node {
  namespace: string[]
  status: AgentStatus
  graph_name: string
}

/** `agent.getTree`: the tree of this run, or of the thread's last one. Throws `no_such_run`. */
export async function getTree(context: CommandContext, params: JsonValue): Promise<JsonObject> {
  const { run_id } = readParams('agent.getTree', GetTreeSchema, params)
  const { run } = await requireRun(context, run_id)
  const nodes = await nodesOf(context, run)
  return { tree: treeOf(nodes, []) }
}

/** The thread, if the caller may see it, and this run of it or its last one. Throws `no_such_run`. */
export async function requireRun(
  { parts, caller, thread_id }: CommandContext,
  run_id?: string,
): Promise<{ thread: Thread; run: QueuedRun }> {
  const thread = await getThread(parts, caller, thread_id)
  const { runs } = parts.store
  const run = await (run_id === undefined ? runs.latest(thread_id) : runs.get(run_id))
  if (run?.thread_id === thread_id) return { thread, run }
  const which = run_id === undefined ? 'no run yet; use run.start' : `no run "${run_id}"`
  throw new ProtocolError('no_such_run', `Thread ${thread_id} has ${which}.`)
}

/** The namespaces of the run, each with its status. */
export async function childrenOf(
  context: CommandContext,
  run: QueuedRun,
): Promise<Pick<Node, 'namespace' | 'status'>[]> {
  const nodes = await nodesOf(context, run)
  return [...nodes.values()].map(({ namespace, status }) => ({ namespace, status }))
}

const ROOT_STATUS: Readonly<Record<RunStatus, AgentStatus>> = {
  pending: 'started',
  running: 'running',
  success: 'completed',
  error: 'failed',
  timeout: 'failed',
  interrupted: 'interrupted',
}

/** The run's graphs by namespace, each with the status of its last event. */
async function nodesOf({ parts }: CommandContext, run: QueuedRun): Promise<Map<string, Node>> {
  const thread = await parts.store.threads.get(run.thread_id)
  const isOpen = run.status === 'success' && thread?.status === 'interrupted'
  const root: Node = {
    namespace: [],
    status: isOpen ? 'interrupted' : ROOT_STATUS[run.status],
    graph_name: String(run.metadata.graph_id),
  }
  const nodes = new Map<string, Node>()
  for (const { data } of await parts.store.events.readLifecycle(run.run_id)) {
    const { namespace, data: told } = parseJson(data) as LifecycleParams
    nodes.set(namespace.join('|'), {
      namespace,
      status: told.event,
      graph_name: told.graph_name,
    })
  }
  return nodes.set('', root)
}

interface LifecycleParams {
  namespace: string[]
  data: { event: AgentStatus; graph_name: string }
}

function treeOf(nodes: Map<string, Node>, namespace: string[]): JsonObject {
  const { status, graph_name } = nodes.get(namespace.join('|')) as Node
  const children = [...nodes.values()].filter(
    (one) =>
      one.namespace.length === namespace.length + 1 &&
      namespace.every((part, i) => one.namespace[i] === part),
  )
  return {
    namespace,
    status,
    graph_name,
    ...(children.length > 0 && { children: children.map((one) => treeOf(nodes, one.namespace)) }),
  }
}
