/**
 * The addresses of clients. A connection's is taken when it is accepted: once the client has reset the connection, the
 * system does not know it any more, and only what the client wrote would be left.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { AppError } from '../../core/errors.ts'

const ofRequests = new WeakMap<IncomingMessage, string>()

/** Keeps the address with the socket, for all who read it later. Destroys a connection without one. */
export function keepAddress(socket: Socket): void {
  const { remoteAddress } = socket
  if (remoteAddress === undefined) socket.destroy()
  else Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress })
}

/** Notes where the request comes from. `false`: its connection has no address, so it must not be answered. */
export function noteAddress(req: IncomingMessage): boolean {
  const { remoteAddress } = req.socket
  if (remoteAddress === undefined) return false
  ofRequests.set(req, remoteAddress)
  return true
}

/** Throws `bad_request` for a request whose address was not noted. */
export function addressOf(req: IncomingMessage): string {
  const address = ofRequests.get(req)
  if (address !== undefined) return address
  throw new AppError('bad_request', 'The connection of this request has no address. Send it again.')
}
