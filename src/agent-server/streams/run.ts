/** A run's stream: its events in the clients' form, live or later. */
import { isEnd, type NewEvent } from '../../core/agent/event.ts'
import { isTerminal } from '../../core/agent/run.ts'
import type { StreamMode } from '../../core/agent/stream-mode.ts'
import { MessageAssembler } from '../../stream/message-assembler.ts'
import { toLegacyEvent } from '../../stream/protocol-event.ts'
import { frame, frameOf } from '../../stream/response/sse.ts'
import type { Parts } from '../agent-server-parts.ts'
import { beginning } from './projection.ts'

/** Starts at the first event. */
const ALL = -1
/** Greater than every `run_seq`. */
const NOTHING = Number.MAX_SAFE_INTEGER
/** How long a run counts as just ended, in ms. */
const JUST_ENDED_MS = 30_000

export interface RunStream extends Selection {
  run_id: string
  /** The `run_seq` of the client's last event. -1: none. */
  after: number
  /** Whether this request created the run. */
  isNew?: boolean
}

/**
 * The run's frames (`stream/response/sse.ts`) up to its end. Events keep their ids if others are left out. The
 * creator of a run gets the first event at once, before the run is claimed: JavaScript SDKs reconnect after their
 * last id, and without one they would join a run that ended meanwhile at its end.
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
    for (const logged of page) {
      const event = isEnd(logged) ? undefined : toLegacyEvent(logged)
      if (!event || !isSelected(event, selection)) continue
      const shown = await messages.show(event)
      if (shown) frames += frameOf(shown)
    }
    if (frames !== '') yield frames
  }
}

/**
 * Where a stream without a last event id starts: at the beginning, if the run is not over or ended less than
 * `JUST_ENDED_MS` ago; otherwise at the end, so it shows nothing. Without that time, a client that creates a background
 * run and then streams it would get all events or none, by chance.
 */
export async function defaultStart(
  parts: Pick<Parts, 'store' | 'clock'>,
  run_id: string,
): Promise<number> {
  const run = await parts.store.runs.glance(run_id)
  // A run without a row was stateless: its log exists for only two minutes.
  if (!run || !isTerminal(run.status)) return ALL
  return parts.clock.now() - Date.parse(run.updated_at) < JUST_ENDED_MS ? ALL : NOTHING
}

/** How many checkpoints of one run are searched at most. */
const MAX_CHECKPOINTS = 10_000

/**
 * Where a stream starts for a client that shows the state at this checkpoint: after the events that were in the log
 * when the checkpoint was made. Events that were still being written then come again; none is missing. If the
 * checkpoint is not the run's, the stream starts at the beginning.
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

/** The events of a run that a client wants. */
export interface Selection {
  /** Absent: all modes of the run. */
  modes?: readonly StreamMode[]
  /**
   * Only events of these namespaces and their subgraphs, without the sub-agents that they start. Each has the form of
   * events' names (`child:<task>|inner:<task>`), with or without tasks. Empty: the root graph. Absent: all.
   */
  namespaces?: readonly string[]
}

/** The run's beginning and failure are always selected. */
export function isSelected({ event }: NewEvent, { modes, namespaces }: Selection): boolean {
  const [name = event, ...namespace] = event.split('|')
  if (name === 'metadata' || name === 'error') return true
  if (modes && !modes.some((mode) => mode === modeOf(name))) return false
  return !namespaces || namespaces.some((one) => isWithin(namespace, one))
}

/** `messages/…` events belong to mode `messages`, plain `messages` to `messages-tuple`. */
function modeOf(name: string): string | undefined {
  return name === 'messages' ? 'messages-tuple' : name.split('/', 1)[0]
}

function isWithin(namespace: string[], wanted: string): boolean {
  const parts = wanted === '' ? [] : wanted.split('|')
  if (!parts.every((part, i) => namespace[i] === part || nodeOf(namespace[i]) === part))
    return false
  return !namespace.slice(parts.length).some((part) => nodeOf(part) === SUBAGENTS)
}

/** The node that calls tools. The SDKs look for sub-agents below it. */
const SUBAGENTS = 'tools'

function nodeOf(part: string | undefined): string | undefined {
  return part?.split(':', 1)[0]
}
