/** HTTP requests and responses on the connection: a head, then the body's chunks. */
import type { WireError } from './errors.ts'
import type { IncomingCall, OutgoingCall } from './peer.ts'
import type { Items } from './streams.ts'

interface WireRequest {
  method: string
  url: string
  headers: [string, string][]
}

interface WireHead {
  status: number
  headers: [string, string][]
  failure?: WireError
}

/** Statuses of responses without a body, by the rules of `Response`. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

export function wireRequest({ method, url, headers }: Request): WireRequest {
  return { method, url, headers: [...headers] }
}

/** A request of the host, with its upload as the body. */
export function readRequest({ method, url, headers }: WireRequest, call: IncomingCall): Request {
  const { signal } = call
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? { body: streamOf(call.upload), duplex: 'half' as const } : {}
  return new Request(url, { method, headers, signal, ...body })
}

/** Sends the response to the host's request. `more` goes with the head. */
export async function answerWith(
  call: IncomingCall,
  { status, headers, body }: Response,
  more: object = {},
): Promise<void> {
  await call.send({ status, headers: [...headers], ...more })
  if (body) await sendBody(call, body)
}

/** An abort ends the body at once, whether or not another chunk is coming. */
async function sendBody(call: IncomingCall, body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader()
  const leave = () => void reader.cancel().catch(() => {})
  const { signal } = call
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || !(await call.send(value))) return
    }
  } finally {
    signal.removeEventListener('abort', leave)
    leave()
  }
}

/** The host's response, once its head arrives; its body is read on demand. `onFailure`: it reports an error. */
export async function readAnswer(
  call: OutgoingCall,
  onFailure: (failure: WireError) => void,
): Promise<Response> {
  const first = await call.items.next()
  if (first.done) {
    await call.answer
    throw new Error('The Python host answered a request without a status.')
  }
  const { status, headers, failure } = first.value as WireHead
  if (failure) onFailure(failure)
  if (!BODILESS.has(status)) return new Response(streamOf(call.items, call), { status, headers })
  void call.items.return()
  return new Response(null, { status, headers })
}

/** `call`: is aborted when the reader cancels. */
function streamOf(items: Items<unknown>, call?: OutgoingCall): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      type: 'bytes',
      async pull(controller) {
        const { done, value } = await items.next()
        if (done) {
          controller.close()
          controller.byobRequest?.respond(0)
        } else {
          // A copy: the bytes share their memory with other data of the connection.
          controller.enqueue(new Uint8Array(value as Uint8Array))
        }
      },
      async cancel() {
        call?.abort()
        await items.return()
      },
    },
    { highWaterMark: 0 },
  )
}
