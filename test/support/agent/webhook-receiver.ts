/** A receiver of webhooks: an HTTP server that notes what comes, and answers as it is told. */
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface Received {
  path: string
  headers: IncomingHttpHeaders
  /** As it came. */
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent.
  json: any
}

/** Answers one request. Default: 204. */
type Reaction = (response: ServerResponse) => void

export interface WebhookReceiver {
  url: string
  received: Received[]
  /** How the next requests are answered, one each; after the last of them with 204. */
  next: Reaction[]
  /** Settles when this many requests have come in all. */
  count(requests: number): Promise<void>
  close(): Promise<void>
}

export async function startReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = []
  const next: Reaction[] = []
  const arrivals = new EventEmitter()
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const { url: path = '', headers } = request
    received.push({ path, headers, body, json: body === '' ? null : JSON.parse(body) })
    const react = next.shift() ?? ((one: ServerResponse) => void one.writeHead(204).end())
    react(response)
    arrivals.emit('arrival')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    next,
    async count(requests) {
      while (received.length < requests) await once(arrivals, 'arrival')
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

export const answer =
  (status: number, headers: Record<string, string> = {}): Reaction =>
  (response) =>
    void response.writeHead(status, headers).end('no')

/** Says nothing, ever. */
export const hang: Reaction = () => {}

/** Cuts the connection. */
export const die: Reaction = (response) => void response.destroy()
