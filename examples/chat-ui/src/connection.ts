/** Where the chat talks to, as the page's address says. */

export interface Connection {
  /** `?server=`, default where `runyard serve` listens. */
  apiUrl: string
  /** `?key=`, for a server that asks for one. */
  apiKey: string | undefined
  /** `?thread=`: the conversation; absent until the first message. */
  threadId: string | null
}

export function readConnection(): Connection {
  const query = new URLSearchParams(location.search)
  return {
    apiUrl: query.get('server') ?? 'http://127.0.0.1:2024',
    apiKey: query.get('key') ?? undefined,
    threadId: query.get('thread'),
  }
}

/** The address names the thread from now on, so that a reload finds it again. */
export function rememberThread(threadId: string): void {
  const url = new URL(location.href)
  url.searchParams.set('thread', threadId)
  history.replaceState(null, '', url)
}

/** The page's address with another value of one parameter, and no thread. */
export function addressWith(name: string, value: string): string {
  const url = new URL(location.href)
  url.searchParams.set(name, value)
  url.searchParams.delete('thread')
  return url.search
}
