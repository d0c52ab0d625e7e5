/** How a run continues a thread that waits: at an interrupt that the run answers, or before a breakpoint. */

import type { NewEvent } from '../../core/agent/event.ts'
import type { GraphStates } from '../../core/agent/host/states.ts'
import { inputAnswered } from '../../core/agent/protocol.ts'
import { namedInterrupts, type QueuedRun, type ResumeRefusal } from '../../core/agent/run.ts'
import type { JsonValue } from '../../core/json.ts'
import type { Parts } from '../agent-server-parts.ts'
import { placeOf, readGraphState } from '../threads/state.ts'

/** Clients know the name from LangGraph, which has the same rule from 1.7 on. */
export class UnknownInterruptError extends Error {
  override readonly name = 'UnknownInterruptError'
  readonly refusal: ResumeRefusal

  constructor(message: string, refusal: ResumeRefusal) {
    super(message)
    this.refusal = refusal
  }
}

/**
 * `strict_resume`: refuses a run that answers an interrupt that is not open, before the run changes anything. Throws
 * `UnknownInterruptError` if the run is strict and answers interrupts that are not open, sends an
 * empty map of answers, or sends one answer while several are open. A run that forks from an older
 * checkpoint may answer its interrupts again. If an earlier attempt passed this check and stored its
 * answers, the check is skipped: it would find the interrupts answered.
 */
export async function requireOpenInterrupts(
  { store }: Pick<Parts, 'store'>,
  graph: GraphStates,
  { run_id, thread_id, kwargs }: QueuedRun,
): Promise<void> {
  const resume = kwargs.command?.resume
  if (!kwargs.strict_resume || resume === undefined || resume === null) return
  const { checkpoint_id } = placeOf(kwargs.checkpoint ?? {})
  const latest = await store.checkpoints.latestId(thread_id)
  if (checkpoint_id !== undefined && checkpoint_id !== latest) return
  if (await store.checkpoints.hasWritesOf(thread_id, run_id)) return
  const refused = refuseResume(resume, await openInterrupts(store, graph, thread_id))
  if (refused) throw refused
}

/** LangGraph keeps a task's interrupt beside its answer until all tasks of the step are done. */
async function openInterrupts(
  { checkpoints }: Parts['store'],
  graph: GraphStates,
  thread_id: string,
): Promise<Set<string>> {
  const at = { thread_id, checkpoint_ns: '' }
  const { tasks } = await graph.getState(at)
  const writes = (await checkpoints.get(at))?.writes ?? []
  const done = new Set(writes.filter(({ idx }) => idx >= 0).map(({ task_id }) => task_id))
  const asking = tasks.filter(({ id }) => !done.has(id))
  const interrupts = asking.flatMap((task) => task.interrupts)
  return new Set(interrupts.flatMap(({ id }) => (id === undefined ? [] : [id])))
}

/** The error of an answer that fits no open interrupt. LangGraph reads a map the same way. */
export function refuseResume(
  resume: JsonValue,
  open: ReadonlySet<string>,
): UnknownInterruptError | undefined {
  const pending_ids = [...open].toSorted()
  const refuse = (reason: ResumeRefusal['reason'], message: string, interrupt_ids: string[] = []) =>
    new UnknownInterruptError(message, { reason, interrupt_ids, pending_ids })
  const ids = namedInterrupts(resume)
  if (!ids) {
    if (open.size <= 1) return undefined
    const message = `${open.size} interrupts are open: send the answer under the id of its interrupt.`
    return refuse('ambiguous', message)
  }
  if (ids.length === 0) return refuse('empty_map', 'The map of answers names no interrupt.')
  const unknown = ids.filter((id) => !open.has(id)).toSorted()
  if (unknown.length === 0) return undefined
  const message = `Unknown or already answered interrupt: ${unknown.join(', ')}.`
  return refuse('not_pending', message, unknown)
}

/**
 * Returns `input.answered` for a starting run whose command resumes, through any API; no event for other runs. It names
 * the interrupts that the run answers, for protocol clients of the thread. It is written before the answer is checked:
 * a strict refusal then names the open interrupts, and `recordEnd` repeats those of an answer that the graph refused.
 * An answer without an id is for the only open interrupt; if several are open, no event.
 */
export async function answeredEvents(
  { store, clock }: Pick<Parts, 'store' | 'clock'>,
  { thread_id, kwargs }: QueuedRun,
): Promise<NewEvent[]> {
  const resume = kwargs.command?.resume
  if (resume === undefined || resume === null) return []
  const ids = namedInterrupts(resume) ?? []
  if (ids.length > 0) return [inputAnswered(ids, clock.now())]
  // At an older checkpoint, other interrupts may have been open.
  if (kwargs.checkpoint?.checkpoint_id) return []
  const [open, ...others] = (await store.threads.getState(thread_id))?.interrupts ?? []
  if (open?.id === undefined || others.length > 0) return []
  return [inputAnswered([open.id], clock.now())]
}

/**
 * Whether an earlier attempt has stopped before a breakpoint and only the run's end is missing.
 * Continuing from the checkpoint would run past the breakpoint.
 */
export async function standsAtBreakpoint(graph: GraphStates, run: QueuedRun): Promise<boolean> {
  const { interrupt_before: before } = run.kwargs
  if (!before) return false
  const { next } = await readGraphState(graph, run.thread_id)
  return next.some((node) => before === '*' || before.includes(node))
}
