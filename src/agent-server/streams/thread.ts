/**
 * A thread's stream: the events of all its runs, one after the other, and events without a run. Its ids
 * are the thread's own numbers. The events are those of the original's server: a run's end is `metadata`
 * with `{"status": "run_done"}`, an update of the state is `state_update` with the whole state.
 */
import {
  isEnd,
  type NewEvent,
  STATE_UPDATE_EVENT,
  type ThreadEvent,
} from '../../core/agent/event.ts'
import type { ThreadStreamMode } from '../../core/agent/stream-mode.ts'
import { MessageAssembler } from '../../stream/message-assembler.ts'
import { toLegacyEvent } from '../../stream/protocol-event.ts'
import { frame } from '../../stream/response/sse.ts'
import type { Parts } from '../agent-server-parts.ts'

interface ThreadStream {
  thread_id: string
  modes: readonly ThreadStreamMode[]
  /** The `seq` of the client's last event. 0: none; `undefined`: from now on. */
  after: number | undefined
}

/** Frames (`stream/response/sse.ts`) until the thread is removed. */
export async function* threadFrames(
  parts: Pick<Parts, 'store' | 'events'>,
  { thread_id, modes, after }: ThreadStream,
  signal: AbortSignal,
): AsyncIterable<string> {
  const messages = new MessageAssembler(parts.store.events)
  for await (const page of parts.events.followThreadPages(thread_id, { after, signal })) {
    let frames = ''
    for (const event of page.flatMap((logged) => selected(logged, modes))) {
      const shown = await messages.show(event)
      if (shown) frames += frame({ ...asShown(shown), id: shown.seq })
    }
    if (frames !== '') yield frames
  }
}

/** The event in the form of the legacy streams, if these modes show it. */
function selected(logged: ThreadEvent, modes: readonly ThreadStreamMode[]): ThreadEvent[] {
  // Only for the protocol, not for legacy streams.
  if (logged.run_id !== null && logged.run_seq === null) return []
  const event = toLegacyEvent(logged)
  return event && modesOf(event).some((mode) => modes.includes(mode)) ? [event] : []
}

function modesOf(event: ThreadEvent): ThreadStreamMode[] {
  if (event.event === STATE_UPDATE_EVENT) return ['state_update']
  const isLifecycle = isEnd(event) || event.event === 'metadata'
  return isLifecycle ? ['run_modes', 'lifecycle'] : ['run_modes']
}

function asShown(event: ThreadEvent): NewEvent {
  if (!isEnd(event)) return event
  return {
    event: 'metadata',
    data: JSON.stringify({ status: 'run_done', run_id: event.run_id }),
  }
}
