/**
 * Relays whole requests to the leading Runyard, which checks them as if they had come to it directly. Each has its own
 * connection, so that none meets one that is just being closed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../core/errors.ts'
import { Exchange, type Handshake } from './exchange.ts'
import { RELAYED_HEADER, relayedAnswerHeaders, relayedHeaders } from './headers.ts'
import { faultOfClient } from './refusal.ts'
import { hasBody, requestBody } from './request-body.ts'
import { Connections } from './upstream/connections.ts'

/** How long a connection to the leader may take, in ms. */
const CONNECT_MS = 3000

/** Whether another Runyard has relayed the request already. Then it goes no further. */
export function isRelayed(req: IncomingMessage): boolean {
  return req.headers[RELAYED_HEADER] !== undefined
}

/** Node's own objects: bodies of any length are streamed. */
export interface RelayedRequest {
  req: IncomingMessage
  res: ServerResponse
  upgrade?: Handshake
}

export class Relay {
  #leader = ''
  #connections: Connections | undefined

  /**
   * Resolves to `true` when the client has its response or has left, to `false` when there was no connection and
   * nothing of the request was read. Throws `unavailable` when the leader broke off before it responded, `bad_request`
   * when the request cannot be forwarded at all.
   */
  async pass(request: RelayedRequest, leader: string): Promise<boolean> {
    const { req, res } = request
    const { pathname, hostname } = new URL(leader)
    const body = hasBody(req) ? requestBody(req, Number.POSITIVE_INFINITY) : undefined
    if (req.headers.expect !== undefined) body?.once('resume', () => res.writeContinue())
    const exchange = new Exchange(
      { ...request, body },
      {
        connections: this.#connectionsTo(leader),
        path: `${pathname.replace(/\/$/, '')}${req.url}`,
        headers: relayedHeaders(req),
        answerHeaders: relayedAnswerHeaders,
        reset: true,
        servername: hostname,
      },
    )
    const outcome = await exchange.run()
    if (outcome.kind !== 'unanswered') return true
    const refusal = faultOfClient(outcome.error)
    if (refusal) throw refusal
    if (!outcome.wasSent) return false
    const detail = 'The control plane that leads broke off before it answered.'
    throw new AppError('unavailable', detail, { cause: outcome.error })
  }

  /** Another one leads now: ends open requests, since a paused leader would never respond. */
  cut(): void {
    const open = [...(this.#connections?.open ?? [])]
    for (const one of open) one.giveUp(new Error('Another one leads now.'))
  }

  #connectionsTo(leader: string): Connections {
    if (leader !== this.#leader || !this.#connections) {
      this.cut()
      this.#connections?.retire()
      this.#connections = new Connections(new URL(leader).origin, CONNECT_MS, () => {})
      this.#leader = leader
    }
    return this.#connections
  }
}
