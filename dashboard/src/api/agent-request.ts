/** Requests to an agent server that the official SDK does not know: Runyard's own extensions. */
import { agentFetch } from './agent-fetch.ts'
import type { AgentServer } from './agent-server.tsx'

/** A refusal of an agent server: its sentence, and its status. */
export class AgentRefusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Returns the JSON of a 2xx response. Throws `AgentRefusal` for anything else. */
export async function askAgent<T>(...asked: Parameters<typeof askForPage>): Promise<T> {
  return (await askForPage<T>(...asked)).answer
}

/**
 * The same with the headers of the response, which lead to the next page. `lookedAt`: a search for a text has looked at
 * so many rows, and there are more.
 */
export async function askForPage<T>(
  server: Pick<AgentServer, 'url' | 'headers'>,
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<{ answer: T; headers: Headers; lookedAt: number | undefined }> {
  const response = await agentFetch(`${server.url}${path}`, {
    method,
    headers: {
      ...server.headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  const text = await response.text()
  if (!response.ok) throw new AgentRefusal(response.status, detailOf(text, response.status))
  const { headers } = response
  const lookedAt = Number(headers.get('x-search-looked-at') ?? Number.NaN)
  return {
    answer: (text === '' ? undefined : JSON.parse(text)) as T,
    headers,
    lookedAt: Number.isNaN(lookedAt) ? undefined : lookedAt,
  }
}

/** The pause after a key press before a search for the typed text, in ms. */
const TYPING_MS = 300

/** Waits while the user types a text to search for: a query for another text aborts this one. */
export async function afterTyping(text: string | undefined, signal: AbortSignal): Promise<void> {
  if (text === undefined) return
  await new Promise((resolve) => setTimeout(resolve, TYPING_MS))
  signal.throwIfAborted()
}

function detailOf(text: string, status: number): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    if (typeof detail === 'string') return detail
    const [first] = Array.isArray(detail) ? (detail as { msg?: string; loc?: unknown[] }[]) : []
    if (first?.msg) return `${(first.loc ?? []).slice(1).join('.')}: ${first.msg}`
  } catch {
    // The response came from a proxy, not from the agent server.
  }
  return `The agent server answered ${status}.`
}
