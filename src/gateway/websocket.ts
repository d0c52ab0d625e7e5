/** WebSockets. After the handshake the gateway only passes bytes on. */
import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { AppError } from '../core/errors.ts'
import { unwatchEnd, watchEnd } from '../core/network/handshake.ts'

/** Throws `bad_request` for an upgrade to anything but a WebSocket. */
export function checkUpgrade(req: IncomingMessage): void {
  const isWebSocket = req.headers.upgrade?.toLowerCase() === 'websocket' && req.method === 'GET'
  if (!isWebSocket) throw new AppError('bad_request', 'Only WebSocket upgrades are supported.')
}

/**
 * Makes a response on the socket of an upgrade request, for a handshake that the gateway or the agent
 * server refuses. It closes the connection at its end.
 */
export function responseOn(req: IncomingMessage, socket: Socket): ServerResponse {
  const res = new ServerResponse(req)
  res.shouldKeepAlive = false
  res.assignSocket(socket)
  // `http.Server` does this for its own requests.
  const onDrain = () => res.emit('drain')
  socket.on('error', () => socket.destroy())
  socket.on('drain', onDrain)
  watchEnd(socket)
  res.once('finish', () => socket.destroySoon())
  res.once('close', () => socket.off('drain', onDrain))
  return res
}

/** The head of a 101 response with these headers (a flat list of names and values). */
export function switchingProtocols(headers: string[]): string {
  let head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'
  for (let i = 0; i + 1 < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`
  return `${head}\r\n`
}

/**
 * Passes bytes in both directions until one side closes. The other side is closed once it has received
 * everything. `onOver` is called once, when the client's socket is closed.
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
