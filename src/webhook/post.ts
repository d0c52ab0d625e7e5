/** One attempt to deliver a webhook. */
import type { Dispatcher } from 'undici'
import { type Destination, destinationOf, type UrlRules } from './url-rules.ts'

/** The request to send. */
export interface Message {
  url: string
  headers: Record<string, string>
  body: string
}

/** The response's status, or why there is none. */
export type Answer = { response_status: number } | { problem: string }

interface PostParts {
  rules: UrlRules
  /** Returns the dispatcher when a connection is needed. */
  dispatcher: () => Promise<Dispatcher>
  /** Passes a request to this server's own app. */
  local: (request: Request) => Promise<Response>
}

/**
 * Posts once and follows no redirects. It checks the rules again, since they may have become stricter after the URL was
 * accepted. Never rejects.
 */
export async function post(
  parts: PostParts,
  message: Message,
  signal: AbortSignal,
): Promise<Answer> {
  const destination = destinationOf(message.url, parts.rules)
  if ('problem' in destination) return destination
  try {
    return { response_status: await send(parts, destination, message, signal) }
  } catch (error) {
    return { problem: describe(error, signal) }
  }
}

async function send(
  { dispatcher, local }: PostParts,
  destination: Destination,
  { headers, body }: Message,
  signal: AbortSignal,
): Promise<number> {
  if (destination.kind === 'local') {
    const url = `http://localhost${destination.path}`
    const response = await abortable(
      local(new Request(url, { method: 'POST', headers, body, signal })),
      signal,
    )
    await response.body?.cancel()
    return response.status
  }
  const { request } = await import('undici')
  const options = { headers, body, dispatcher: await dispatcher(), signal }
  const answer = await request(destination.url, { method: 'POST', ...options })
  // The response's body does not matter: a long or slow one is cut.
  answer.body.on('error', () => {}).destroy()
  return answer.statusCode
}

function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}

function describe(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) {
    const isTimeout = (signal.reason as Error | undefined)?.name === 'TimeoutError'
    return isTimeout ? 'There was no answer in time.' : 'The server stopped during the attempt.'
  }
  const { message, code } = error as { message?: unknown; code?: unknown }
  return String(message || code || error)
}
