/** One run of an agent, from its input to its end or interrupt. */
import type { AgentServer, StreamEvent } from '../../../client/src/client.ts'
import { AppError } from '../../core/errors.ts'
import type { Interrupt } from './answers.ts'
import type { MessagePiece } from './message-printer.ts'
import type { Agent } from './open-agent.ts'

/** The start of a run: an input, or the answer to an interrupt. */
export type TurnStart = { input: unknown } | { command: { resume: unknown } }

export interface TurnEnd {
  run_id: string | undefined
  /** The last state of the graph in the stream. */
  values: Record<string, unknown>
  /** Open interrupts. */
  interrupts: Interrupt[]
  error: { error: string; message: string } | undefined
}

interface TurnOptions {
  thread_id: string
  start: TurnStart
  onPiece(piece: MessagePiece): void
  /** Leaves the stream; the run goes on. */
  signal: AbortSignal
}

/** Makes a thread, and returns its id. */
export async function createThread({ server }: Agent): Promise<string> {
  const { thread_id } = await server.call<{ thread_id: string }>('POST', '/threads', {})
  return thread_id
}

/** Creates the run and reads its stream to the end. Throws `unavailable` if the stream ends before the run. */
export async function takeTurn(
  { server, assistant_id }: Agent,
  { thread_id, start, onPiece, signal }: TurnOptions,
): Promise<TurnEnd> {
  const path = `/threads/${encodeURIComponent(thread_id)}/runs/stream`
  const body = { assistant_id, ...start, stream_mode: ['values', 'messages-tuple'] }
  const end: TurnEnd = { run_id: undefined, values: {}, interrupts: [], error: undefined }
  for await (const event of server.stream(path, body, signal)) note(end, event, onPiece)
  if (!end.error) await requireEnded(server, thread_id, end.run_id)
  return end
}

/** A stream has no last event: a stream that a proxy cuts looks complete. */
async function requireEnded(
  server: AgentServer,
  thread_id: string,
  run_id: string | undefined,
): Promise<void> {
  const path = `/threads/${encodeURIComponent(thread_id)}/runs/${run_id}`
  const { status } = await server.call<{ status: string }>('GET', path)
  if (status !== 'pending' && status !== 'running') return
  throw new AppError(
    'unavailable',
    `The stream has ended before the run: that goes on, on thread ${thread_id}.`,
  )
}

function note(
  end: TurnEnd,
  { event, data }: StreamEvent,
  onPiece: (piece: MessagePiece) => void,
): void {
  switch (event) {
    case 'metadata':
      end.run_id = (data as { run_id: string }).run_id
      return
    case 'messages':
      onPiece((data as [MessagePiece])[0])
      return
    case 'error':
      end.error = data as TurnEnd['error']
      return
    case 'values': {
      const { __interrupt__, ...values } = data as Record<string, unknown>
      end.values = values
      end.interrupts = (__interrupt__ as Interrupt[] | undefined) ?? []
    }
  }
}
