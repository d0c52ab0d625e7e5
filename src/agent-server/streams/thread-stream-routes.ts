/**
 * The operation that streams a thread: the events of all its runs, one after the other, and events without a run. Its
 * ids are the thread's own numbers. The events are those of the original's server: a run's end is `metadata` with
 * `{"status": "run_done"}`, an update of the state is `state_update` with the whole state.
 */

import { z } from '@hono/zod-openapi'
import {
  isEnd,
  type NewEvent,
  STATE_UPDATE_EVENT,
  type ThreadEvent,
} from '../../core/agent/event.ts'
import { THREAD_STREAM_MODES, type ThreadStreamMode } from '../../core/agent/stream-mode.ts'
import { MessageAssembler } from '../../stream/message-assembler.ts'
import { toLegacyEvent } from '../../stream/protocol-event.ts'
import { frame, parseLastEventId } from '../../stream/response/sse.ts'
import { sseResponse } from '../../stream/response/sse-response.ts'
import type { Parts } from '../agent-server-parts.ts'
import { ThreadPathSchema } from '../operations/ids.ts'
import { queryList } from '../operations/query.ts'
import { createRoutes, operationsOf } from '../operations/route.ts'
import { EVENTS_ANSWER } from '../runs/run-responses.ts'
import { StreamHeadersSchema } from '../runs/run-schemas.ts'
import { getThread } from '../threads/threads.ts'

const ModesSchema = queryList(z.enum(THREAD_STREAM_MODES)).optional()

const operation = operationsOf('Threads')

const stream = operation('get', '/threads/{thread_id}/stream', {
  name: 'join_thread_stream',
  summary: 'Stream a thread over all its runs, from now on or from after `Last-Event-ID`',
  request: {
    params: ThreadPathSchema,
    // The original's document has `stream_modes`, its clients send `stream_mode`.
    query: z.object({ stream_modes: ModesSchema, stream_mode: ModesSchema }),
    headers: StreamHeadersSchema,
  },
  answers: { 200: EVENTS_ANSWER },
  refusals: [400, 404],
})

export function threadStreamRoutes(parts: Parts) {
  const routes = createRoutes()
  routes.openapi(stream, async (c) => {
    const { thread_id } = c.req.valid('param')
    const query = c.req.valid('query')
    const modes = query.stream_modes ?? query.stream_mode ?? ['run_modes']
    const last = parseLastEventId(c.req.valid('header')['last-event-id'])
    const after = last === undefined ? undefined : Math.max(last, 0)
    await getThread(parts, c.get('caller'), thread_id)
    return sseResponse(c, {
      headers: { location: `/threads/${thread_id}/stream` },
      source: (signal) => threadFrames(parts, { thread_id, modes, after }, signal),
      onOpen: () => parts.metrics.streamOpened(),
      log: parts.log,
    })
  })
  return routes
}

interface ThreadStream {
  thread_id: string
  modes: readonly ThreadStreamMode[]
  /** The `seq` of the client's last event. 0: none; `undefined`: from now on. */
  after: number | undefined
}

/** Frames (`stream/response/sse.ts`) until the thread is removed. */
async function* threadFrames(
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
