/** `input.answered`: the event that reports which interrupts a run answers, for protocol clients of the thread. */
import type { NewEvent } from '../../core/agent/event.ts'
import { inputAnswered } from '../../core/agent/protocol.ts'
import { namedInterrupts, type QueuedRun } from '../../core/agent/run.ts'
import type { Parts } from '../agent-server-parts.ts'

/**
 * The event for a starting run whose command resumes, through any API; no event for other runs. It is written before the
 * answer is checked: a strict refusal then names the open interrupts, and `recordEnd` repeats those of an answer that
 * the graph refused. An answer without an id is for the only open interrupt; if several are open, no event.
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
