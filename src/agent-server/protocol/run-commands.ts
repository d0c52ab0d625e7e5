/** The commands that start runs. All are protocol runs: their logs have the protocol's events. */

import type { ProtocolErrorCode } from '../../core/agent/protocol.ts'
import { namedInterrupts, type QueuedRun, type RunCommand } from '../../core/agent/run.ts'
import type { Thread } from '../../core/agent/thread.ts'
import { AppError, type Missing } from '../../core/errors.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { given } from '../operations/given.ts'
import type { RunRequest } from '../runs/new-run.ts'
import { createRun } from '../runs/run-creation.ts'
import { runRequest } from '../runs/run-request.ts'
import type { RunCreate } from '../runs/run-schemas.ts'
import { openThreadGraph } from '../threads/state.ts'
import { ProtocolError } from './protocol-error.ts'
import { PROTOCOL_MODES } from './protocol-projection.ts'
import {
  type CommandContext,
  InputInjectSchema,
  InputRespondSchema,
  RunStartSchema,
  readParams,
  StateForkSchema,
} from './protocol-schemas.ts'
import { requireRun } from './tree.ts'

/**
 * `run.start`: starts a run with this input, and adds the thread if it does not exist. If the thread
 * waits at an interrupt, the input is the answer. Throws like `createRun`, and `invalid_argument` if
 * the answer could be for several interrupts.
 */
export async function startRun(context: CommandContext, params: JsonValue): Promise<JsonObject> {
  const asked = readParams('run.start', RunStartSchema, params)
  const { assistant_id, input, config, metadata, langsmith_tracer } = asked
  const strategy = asked.multitask_strategy ?? asked.multitaskStrategy
  const open = isFork(config) ? [] : await openOn(context)
  const isAnswer = input != null && open.length > 0
  if (isAnswer && open.length > 1 && !namedInterrupts(input)?.length) {
    throw new ProtocolError(
      'invalid_argument',
      `The thread waits for ${open.length} answers, and the input does not say which it is; answer with input.respond.`,
    )
  }
  const run = await begin(context, {
    assistant_id,
    ...(isAnswer ? { command: { resume: input } } : { input: input ?? null }),
    ...given({ config, metadata, langsmith_tracer, multitask_strategy: strategy }),
    if_not_exists: 'create',
  })
  return { run_id: run.run_id }
}

/**
 * `input.respond`: answers one or several interrupts of the thread, and continues its graph. Throws
 * `no_such_run`, `no_such_interrupt`.
 */
export async function respondInput(
  context: CommandContext,
  params: JsonValue,
): Promise<JsonObject> {
  const asked = readParams('input.respond', InputRespondSchema, params)
  const { update, goto, config, metadata, strict_resume } = asked
  const responses = asked.responses ?? [{ ...asked, interrupt_id: String(asked.interrupt_id) }]
  const { thread, run: last } = await requireRun(context)
  const check = (one: Thread) => {
    const open = openInterrupts(one)
    for (const { interrupt_id } of responses) requireOpen(open, interrupt_id, one)
  }
  check(thread)
  const answers = responses.map(({ interrupt_id, response }) => [interrupt_id, response ?? null])
  const command = { resume: Object.fromEntries(answers), ...given({ update, goto }) } as RunCommand
  // Only the first of two concurrent answers counts, even if the run of the first is already over.
  const alone = { multitask_strategy: 'reject' } as const
  const run = await begin(
    context,
    {
      assistant_id: last.assistant_id,
      command,
      ...given({ config, metadata, strict_resume }),
      ...alone,
    },
    { check },
  )
  return { run_id: run.run_id }
}

/**
 * `input.inject`: a message for the thread's graph. It becomes the input of a new run, which waits for
 * the existing runs. Throws `no_such_run`, and `not_supported` for a subgraph and for a graph without
 * `messages`.
 */
export async function injectInput(context: CommandContext, params: JsonValue): Promise<JsonObject> {
  const { namespace = [], message } = readParams('input.inject', InputInjectSchema, params)
  if (namespace.length > 0) {
    throw new ProtocolError('not_supported', 'Messages are taken for the root graph only: [].')
  }
  const { thread, run: last } = await requireRun(context)
  const graph = await openThreadGraph(context.parts, thread)
  const { values } = await graph.names()
  if (!values.includes('messages')) {
    throw new ProtocolError('not_supported', 'The graph has no "messages" in its state.')
  }
  const { role, content, name } = message
  const run = await begin(context, {
    assistant_id: last.assistant_id,
    input: { messages: [{ role, content, ...given({ name }) }] },
  })
  return { run_id: run.run_id }
}

/** `state.fork`: starts a run from an earlier checkpoint. Throws `no_such_checkpoint`. */
export async function forkState(context: CommandContext, params: JsonValue): Promise<JsonObject> {
  const { checkpoint_id, input, config } = readParams('state.fork', StateForkSchema, params)
  const { run: last } = await requireRun(context)
  const run = await begin(context, {
    assistant_id: last.assistant_id,
    input: input ?? null,
    checkpoint: { checkpoint_id },
    ...given({ config }),
  })
  return { run_id: run.run_id, thread_id: run.thread_id }
}

async function begin(
  { parts, caller, thread_id }: CommandContext,
  request: Partial<RunCreate> & { assistant_id: string },
  how: { check?: (thread: Thread) => void } = {},
): Promise<QueuedRun> {
  const asked: RunRequest = {
    ...runRequest(request as RunCreate),
    stream_mode: [...PROTOCOL_MODES],
    stream_subgraphs: true,
    stream_protocol: 'v2',
  }
  try {
    return await createRun(parts, caller, thread_id, asked, how)
  } catch (error) {
    throw refusalOf(error)
  }
}

const CODE_OF_MISSING = {
  assistant: 'invalid_argument',
  checkpoint: 'no_such_checkpoint',
} as const satisfies Record<Missing, ProtocolErrorCode>

/** The protocol has its own codes for a missing assistant or checkpoint, other than `no_such_run`. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof AppError) || error.missing === undefined) return error
  return new ProtocolError(CODE_OF_MISSING[error.missing], error.message, { cause: error })
}

async function openOn({ parts, thread_id }: CommandContext): Promise<string[]> {
  const thread = await parts.store.threads.get(thread_id)
  return thread ? openInterrupts(thread) : []
}

function openInterrupts({ status, interrupts }: Thread): string[] {
  if (status !== 'interrupted') return []
  return Object.values(interrupts).flatMap((ones) => ones.map(({ id }) => String(id)))
}

function requireOpen(open: string[], interrupt_id: string, { status }: Thread): void {
  if (open.includes(interrupt_id)) return
  const why = open.length > 0 ? `it waits for ${open.join(', ')}` : `its status is "${status}"`
  const message = `The thread waits for no answer to "${interrupt_id}": ${why}.`
  throw new ProtocolError('no_such_interrupt', message)
}

function isFork(config: { configurable?: JsonObject | undefined } | undefined): boolean {
  const { checkpoint_id } = config?.configurable ?? {}
  return checkpoint_id != null
}
