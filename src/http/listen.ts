/** Starts and closes an HTTP server, and counts its open requests. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { AppError } from '../core/errors.ts'

/** Resolves to `http://HOST:PORT`, or `https://…` with TLS. Throws `bad_request` when it cannot listen there. */
export async function listen(server: Server, at: { host: string; port: number }): Promise<string> {
  server.listen(at.port, at.host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    const why = code === 'EADDRINUSE' ? 'the port is in use; choose another' : `${code}`
    throw new AppError('bad_request', `Cannot listen on ${at.host}:${at.port}: ${why}.`, { cause })
  }
  return addressOf(server)
}

/** The URL of a listening server: `http://HOST:PORT`, or `https://…` with TLS. */
export function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  const scheme = server instanceof TlsServer ? 'https' : 'http'
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** Takes no new connection and cuts the open ones. */
export async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  await closed
}

/** The requests whose responses a server has not completed yet. */
export class OpenRequests {
  #count = 0
  #ended = Promise.withResolvers<void>()

  /** Counts from now on, without WebSockets. */
  constructor(server: Server) {
    server.on('request', (_, response) => {
      this.#count += 1
      response.once('close', () => {
        this.#count -= 1
        if (this.#count > 0) return
        this.#ended.resolve()
        this.#ended = Promise.withResolvers()
      })
    })
  }

  /** Resolves when none is open, after `limitMs` in any case. */
  async whenNone(limitMs: number): Promise<void> {
    if (this.#count === 0) return
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, limitMs)
    await Promise.race([this.#ended.promise, late.promise])
    clearTimeout(timer)
  }
}
