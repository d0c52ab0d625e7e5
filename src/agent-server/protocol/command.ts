/** Commands of the protocol and their answers, and the commands that read a thread's state. */
import type { ProtocolErrorCode } from '../../core/agent/protocol.ts'
import type { ThreadState } from '../../core/agent/thread.ts'
import { AppError } from '../../core/errors.ts'
import { plainNumber } from '../../core/exact-json.ts'
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { LOOKING_COMMANDS, requireTalk } from '../../core/people/agent-access.ts'
import type { Parts } from '../agent-server-parts.ts'
import { fieldsWhere } from '../operations/given.ts'
import { getThreadState, getThreadStateAt, listThreadHistory } from '../threads/state.ts'
import { asProtocolError, ProtocolError } from './protocol-error.ts'
import {
  type CommandContext,
  ListCheckpointsSchema,
  readParams,
  StateGetSchema,
} from './protocol-schemas.ts'
import { forkState, injectInput, respondInput, startRun } from './run-commands.ts'
import { admit } from './thread-events.ts'
import { getTree } from './tree.ts'

export interface Command {
  /** The client's own number for the command. */
  id: number
  method: string
  params: JsonValue
}

interface CommandSuccess {
  type: 'success'
  id: number
  result: JsonObject
  meta: { thread_id: string; applied_through_seq: number }
}

interface CommandFailure {
  type: 'error'
  id: number | null
  error: ProtocolErrorCode
  message: string
}

type Verb = (context: CommandContext, params: JsonValue) => Promise<JsonObject>

/** The commands that every transport accepts. */
const VERBS: Readonly<Record<string, Verb>> = {
  'run.start': startRun,
  'input.respond': respondInput,
  'input.inject': injectInput,
  'state.get': getState,
  'state.listCheckpoints': listCheckpoints,
  'state.fork': forkState,
  'agent.getTree': getTree,
}

/** Reads a command. Throws `bad_request` for anything else. */
export function parseCommand(sent: JsonValue): Command {
  const { id: sentId, method, params = {} } = isObject(sent) ? sent : {}
  const id = plainNumber(sentId)
  if (typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 && typeof method === 'string') {
    return { id, method, params: params ?? {} }
  }
  throw new AppError(
    'bad_request',
    'A command is {"id": <integer from 0 on>, "method": "<name>", "params": {…}}.',
  )
}

/** Executes the command. Never rejects: a refusal is an answer too. */
export function handleCommand(
  context: CommandContext,
  command: Command,
): Promise<CommandSuccess | CommandFailure> {
  return answered(context, command, () => {
    if (!LOOKING_COMMANDS.has(command.method))
      requireTalk(context.caller.role, `the command ${command.method}`)
    const verb = Object.hasOwn(VERBS, command.method) ? VERBS[command.method] : undefined
    if (verb) return verb(context, command.params)
    throw command.method.startsWith('subscription.')
      ? new ProtocolError(
          'not_supported',
          'Over HTTP a subscription is a request to /stream/events; this is for WebSockets.',
        )
      : new ProtocolError('unknown_command', `There is no command "${command.method}".`)
  })
}

/** Returns the answer with the work's result, or with the reason of its refusal. */
export async function answered(
  { parts, thread_id }: CommandContext,
  { id, method }: Command,
  work: () => Promise<JsonObject>,
): Promise<CommandSuccess | CommandFailure> {
  try {
    // Read before the work: a run that the work adds may already have events afterwards.
    const applied_through_seq = await parts.store.events.lastSeq(thread_id)
    const result = await work()
    return { type: 'success', id, result, meta: { thread_id, applied_through_seq } }
  } catch (error) {
    return failure(parts, { id, method, thread_id }, error)
  }
}

function failure(
  { log }: Pick<Parts, 'log'>,
  { id, ...place }: { id: number; method: string; thread_id: string },
  error: unknown,
): CommandFailure {
  const refusal = asProtocolError(error)
  if (refusal) return { type: 'error', id, error: refusal.code, message: refusal.message }
  log.error({ ...place, err: error }, 'a command failed')
  const message = 'Internal server error; the log says more.'
  return { type: 'error', id, error: 'unknown_error', message }
}

const DEFAULT_LIMIT = 10

/**
 * `state.get`: the latest state of the root graph or of a subgraph. A missing thread has no values.
 * Throws `no_such_namespace`.
 */
async function getState(context: CommandContext, params: JsonValue): Promise<JsonObject> {
  const { namespace = [], keys } = readParams('state.get', StateGetSchema, params)
  if (await isMissing(context)) return { values: {} }
  const { values, checkpoint } = await stateOf(context, namespace)
  const { checkpoint_id: id, checkpoint_ns: ns } = checkpoint ?? {}
  return {
    values: keys && isObject(values) ? fieldsWhere(values, (key) => keys.includes(key)) : values,
    ...(typeof id === 'string' && { checkpoint: { id, ns: ns ?? '' } }),
  }
}

/** `state.listCheckpoints`: newest first. Throws `no_such_namespace`. */
async function listCheckpoints(context: CommandContext, params: JsonValue): Promise<JsonObject> {
  const asked = readParams('state.listCheckpoints', ListCheckpointsSchema, params)
  const { namespace = [], limit = DEFAULT_LIMIT, before } = asked
  if (await isMissing(context)) return { checkpoints: [] }
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

async function isMissing({ parts, caller, thread_id }: CommandContext): Promise<boolean> {
  return (await admit(parts, caller, thread_id)).isOpen
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
