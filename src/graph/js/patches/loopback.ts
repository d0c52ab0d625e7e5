/**
 * A `new Client()` without an address, inside a project, calls the server that it runs in, without a connection. The
 * SDK looks for a `fetch` under this symbol when a client is made, which a module may do while it is imported: so the
 * `fetch` is installed before the project is imported, and connected later.
 */

const FETCH = Symbol.for('langgraph_api:fetch')

/** As the SDK calls it. */
export type InProcessFetch = (
  input: string | URL | Request,
  init?: RequestInit,
) => Promise<Response>

/** Handles requests; a server of this process. */
type Answer = (request: Request) => Promise<Response>

let connected: Answer | undefined

/** From now on clients that are made without an address talk in process. */
export function installLoopback(): void {
  Object.assign(globalThis, { [FETCH]: loopback })
}

/** Sends the requests of such clients to `answer` until the returned function is called. */
export function connectLoopback(answer: Answer): () => void {
  connected = answer
  return () => {
    if (connected === answer) connected = undefined
  }
}

/** An abort ends the response, as with a real `fetch`. */
const loopback: InProcessFetch = async (input, init) => {
  if (!connected) throw new TypeError('fetch failed: the agent server does not answer yet.')
  const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
  signal?.throwIfAborted()
  const answer = connected(new Request(input, init))
  if (!signal) return answer
  const response = await unless(signal, answer)
  const body = response.body?.pipeThrough(new TransformStream(), { signal })
  return new Response(body ?? null, response)
}

async function unless<T>(signal: AbortSignal, settled: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([settled, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
