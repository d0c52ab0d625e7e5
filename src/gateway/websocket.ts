/** WebSockets: after the handshake the gateway only carries bytes. */
import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { AppError } from '../core/errors.ts'
import { unwatchEnd, watchEnd } from '../core/handshake.ts'

/** Throws `bad_request` for an upgrade to anything but a WebSocket. */
export function checkUpgrade(req: IncomingMessage): void {
  const isWebSocket = req.headers.upgrade?.toLowerCase() === 'websocket' && req.method === 'GET'
  if (!isWebSocket) throw new AppError('bad_request', 'Only WebSocket upgrades are taken.')
}

/**
 * A response on the socket of an upgrade request, for handshakes that are refused, here or by the
 * agent server. The connection ends with it.
 */
export function responseOn(req: IncomingMessage, socket: Socket): ServerResponse {
  const res = new ServerResponse(req)
  res.shouldKeepAlive = false
  res.assignSocket(socket)
  // What `http.Server` does for the requests that it hands out itself.
  const onDrain = () => res.emit('drain')
  socket.on('error', () => socket.destroy())
  socket.on('drain', onDrain)
  watchEnd(socket)
  res.once('finish', () => socket.destroySoon())
  res.once('close', () => socket.off('drain', onDrain))
  return res
}

/** The head of a 101 answer with these headers (a flat list of names and values). */
export function switchingProtocols(headers: string[]): string {
  let head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'
  for (let i = 0; i + 1 < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`
  return `${head}\r\n`
}

/**
 * Carries bytes both ways until either side is gone; then the other one goes too, once it has what
 * was on its way. `onOver` is called once, when the client's socket is closed.
 */
export function joinSockets(
  client: Socket,
  upstream: Socket,
  head: Buffer,
  onOver: () => void,
): void {
  unwatchEnd(client)
  client.setNoDelay(true)
  client.setTimeout(0)
  closeTogether(client, upstream)
  closeTogether(upstream, client)
  client.once('close', onOver)
  if (head.length > 0) upstream.write(head)
  client.pipe(upstream)
  upstream.pipe(client)
}

function closeTogether(one: Socket, other: Socket): void {
  one.on('error', () => one.destroy())
  one.once('end', () => other.destroySoon())
  one.once('close', (hadError) => (hadError ? other.destroy() : other.destroySoon()))
}
