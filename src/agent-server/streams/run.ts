/** A run's stream: its events as clients see them, live or later. */
import { isEnd } from '../../core/agent/event.ts'
import { isTerminal } from '../../core/agent/run.ts'
import { isOfMessages, MessageAssembler } from '../../stream/message-assembler.ts'
import { toLegacyEvent } from '../../stream/protocol-event.ts'
import { frame, frameOf } from '../../stream/response/sse.ts'
import type { Parts } from '../parts.ts'
import { beginning } from './projection.ts'
import { type Selection, selector } from './selection.ts'

/** Everything, from the first event on. */
const ALL = -1
/** Greater than every `run_seq`. */
const NOTHING = Number.MAX_SAFE_INTEGER
/** How long ago a run that has only just ended has ended at most, in ms. */
const JUST_ENDED_MS = 30_000

export interface RunStream extends Selection {
  run_id: string
  /** The `run_seq` of the last event that the client has; -1: it has none. */
  after: number
  /** The client has made the run with this request. */
  isNew?: boolean
}

/**
 * The run's frames (`stream/response/sse.ts`) up to its end. An event keeps its id, whatever is left out. Who
 * makes a run has its first event at once, before the run is claimed: the SDKs of JavaScript go on
 * after the last id that they have, and without one would take up a run that ended meanwhile at its
 * end.
 */
export async function* runFrames(
  parts: Pick<Parts, 'store' | 'events'>,
  { run_id, after, isNew = false, ...selection }: RunStream,
  signal: AbortSignal,
): AsyncIterable<string> {
  if (isNew) yield frame({ ...beginning({ run_id, attempt: 1 }), id: 0 })
  const messages = new MessageAssembler(parts.store.events)
  const from = { after: isNew ? 0 : after, signal }
  for await (const page of parts.events.followPages(run_id, from)) {
    let frames = ''
    const isShown = selector(selection)
    for (const logged of page) {
      const event = isEnd(logged) ? undefined : toLegacyEvent(logged)
      if (!event || !isShown(event)) continue
      const shown = isOfMessages(event) ? await messages.show(event) : event
      if (shown) frames += frameOf(shown)
    }
    if (frames !== '') yield frames
  }
}

/**
 * Where a client that names no last event goes on: at the beginning of a run that is not over, and at
 * the end of one that is, so that it is shown nothing. A run that has only just
 * ended counts as not over: whoever makes a run in the background and then asks for its stream would
 * have all of it or nothing, by chance.
 */
export async function defaultStart(
  parts: Pick<Parts, 'store' | 'clock'>,
  run_id: string,
): Promise<number> {
  const run = await parts.store.runs.glance(run_id)
  // Without a row it was a stateless run: its log is there for two minutes only.
  if (!run || !isTerminal(run.status)) return ALL
  return parts.clock.now() - Date.parse(run.updated_at) < JUST_ENDED_MS ? ALL : NOTHING
}

/** More checkpoints of one run are not looked through. */
const MAX_CHECKPOINTS = 10_000

/**
 * Where a client goes on that shows the state at this checkpoint: after what the run had written when the checkpoint
 * was made. What was on its way to the log at that moment comes again, and nothing is missing. At the beginning where
 * the checkpoint is not the run's.
 */
export async function startAfter(
  { store }: Pick<Parts, 'store'>,
  run: { thread_id: string; run_id: string },
  checkpoint_id: string,
): Promise<number> {
  const checkpoints = await store.checkpoints.listOf(run, MAX_CHECKPOINTS)
  const shown = checkpoints.find(
    (one) => one.checkpoint_id === checkpoint_id && one.checkpoint_ns === '',
  )
  return shown?.created_at == null ? ALL : store.events.lastBefore(run.run_id, shown.created_at)
}
