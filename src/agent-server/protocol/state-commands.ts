/** The commands that read a thread's state. */

import type { ThreadState } from '../../core/agent/thread.ts'
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { listThreadHistory } from '../threads/history.ts'
import { getThreadState, getThreadStateAt } from '../threads/state.ts'
import { authorizeOnThread, requireThread } from '../threads/threads.ts'
import type { CommandContext } from './command-context.ts'
import { ListCheckpointsSchema, readParams, StateGetSchema } from './params.ts'
import { ProtocolError } from './protocol-error.ts'

const DEFAULT_LIMIT = 10

/**
 * `state.get`: the latest state of the root graph or of a subgraph. A missing thread has no values.
 * Throws `no_such_namespace`.
 */
export async function getState(context: CommandContext, params: JsonValue): Promise<JsonObject> {
  const { namespace = [], keys } = readParams('state.get', StateGetSchema, params)
  if (!(await isThere(context))) return { values: {} }
  const { values, checkpoint } = await stateOf(context, namespace)
  const { checkpoint_id: id, checkpoint_ns: ns } = checkpoint ?? {}
  return {
    values: only(values, keys),
    ...(typeof id === 'string' && { checkpoint: { id, ns: ns ?? '' } }),
  }
}

/** `state.listCheckpoints`: newest first. Throws `no_such_namespace`. */
export async function listCheckpoints(
  context: CommandContext,
  params: JsonValue,
): Promise<JsonObject> {
  const asked = readParams('state.listCheckpoints', ListCheckpointsSchema, params)
  const { namespace = [], limit = DEFAULT_LIMIT, before } = asked
  if (!(await isThere(context))) return { checkpoints: [] }
  const { parts, caller, thread_id } = context
  if (namespace.length > 0) await requireNamespace(context, namespace)
  const history = await listThreadHistory(parts, caller, thread_id, {
    limit,
    checkpoint: { checkpoint_ns: namespace.join('|') },
    ...(before !== undefined && { before }),
  })
  const checkpoints: JsonObject[] = []
  for await (const state of history) checkpoints.push(summary(state))
  return { checkpoints }
}

function summary({ checkpoint, created_at, metadata }: ThreadState): JsonObject {
  const { writes } = (metadata ?? {}) as { writes?: JsonObject | null }
  const [node_name] = Object.keys(writes ?? {})
  return {
    id: checkpoint?.checkpoint_id ?? null,
    timestamp: created_at,
    step: metadata?.step ?? null,
    ...(node_name !== undefined && { node_name }),
    ...(metadata && { metadata }),
  }
}

async function isThere({ parts, caller, thread_id }: CommandContext): Promise<boolean> {
  const filter = await authorizeOnThread(parts, caller, 'read', thread_id)
  const thread = await parts.store.threads.get(thread_id)
  if (thread) await requireThread(parts.store.threads, thread_id, filter)
  return thread !== undefined
}

async function stateOf(context: CommandContext, namespace: string[]): Promise<ThreadState> {
  const { parts, caller, thread_id } = context
  const subgraphs = false
  if (namespace.length === 0) return getThreadState(parts, caller, thread_id, { subgraphs })
  const checkpoint_ns = await requireNamespace(context, namespace)
  return getThreadStateAt(parts, caller, thread_id, { checkpoint: { checkpoint_ns }, subgraphs })
}

async function requireNamespace(
  { parts, thread_id }: CommandContext,
  namespace: string[],
): Promise<string> {
  const checkpoint_ns = namespace.join('|')
  const latest = await parts.store.checkpoints.latestId(thread_id, checkpoint_ns)
  if (latest !== undefined) return checkpoint_ns
  throw new ProtocolError(
    'no_such_namespace',
    `The thread has no state of the namespace ${JSON.stringify(namespace)}.`,
  )
}

function only(values: JsonValue, keys: string[] | undefined): JsonValue {
  if (!keys || !isObject(values)) return values
  return Object.fromEntries(Object.entries(values).filter(([key]) => keys.includes(key)))
}
