/**
 * The addresses of clients. A connection's address is read when it is accepted: after a reset by the client the system
 * no longer knows it, and only the client's own headers would remain.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { AppError } from '../../core/errors.ts'

const ofRequests = new WeakMap<IncomingMessage, string>()

/** Keeps the address with the socket for later readers. Destroys a connection without one. */
export function keepAddress(socket: Socket): void {
  const { remoteAddress } = socket
  if (remoteAddress === undefined) socket.destroy()
  else Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress })
}

/** Stores the request's address. `false`: its connection has no address, so it must not be answered. */
export function noteAddress(req: IncomingMessage): boolean {
  const { remoteAddress } = req.socket
  if (remoteAddress === undefined) return false
  ofRequests.set(req, remoteAddress)
  return true
}

/** Throws `bad_request` for a request without a stored address. */
export function addressOf(req: IncomingMessage): string {
  const address = ofRequests.get(req)
  if (address !== undefined) return address
  throw new AppError('bad_request', 'The connection of this request has no address. Send it again.')
}
