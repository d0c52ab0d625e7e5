import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { silentLog } from '../../core/log.ts'
import { WebSockets } from './handshakes.ts'

let http: Server
let port: number
let answer: (request: Request) => Promise<Response>
let webSockets: WebSockets
beforeEach(async () => {
  http = createServer().listen(0, '127.0.0.1')
  webSockets = new WebSockets({ server: http, fetch: (req) => answer(req), log: silentLog })
  await once(http, 'listening')
  port = (http.address() as AddressInfo).port
})
afterEach(async () => {
  await webSockets.stop()
  http.close()
  http.closeAllConnections()
})

/** An answer of which there is always more; `given` is called when it is given up. */
function endless(givenUp: () => void): Response {
  const chunk = new Uint8Array(1000).fill(120)
  return new Response(
    new ReadableStream({ pull: (controller) => controller.enqueue(chunk), cancel: givenUp }),
  )
}

test('of an answer without an end only the beginning is read', async () => {
  const givenUp = Promise.withResolvers<void>()
  answer = async () => endless(givenUp.resolve)
  const [code, reason] = await once(new WebSocket(`ws://127.0.0.1:${port}`), 'close')
  await givenUp.promise
  expect([code, String(reason)]).toEqual([4200, 'x'.repeat(123)])
})

test('a client that ends its connection aborts what its handshake began', async () => {
  const asked = Promise.withResolvers<AbortSignal>()
  answer = ({ signal }) => {
    asked.resolve(signal)
    return Promise.withResolvers<Response>().promise
  }
  const socket = connect(port, '127.0.0.1')
  socket.write(
    'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  const signal = await asked.promise
  const aborted = once(signal, 'abort')
  socket.end()
  await aborted
})

test('a reason is cut between two letters', async () => {
  answer = async () => new Response(`x${'ü'.repeat(80)}`, { status: 401 })
  const [code, reason] = await once(new WebSocket(`ws://127.0.0.1:${port}`), 'close')
  expect([code, String(reason)]).toEqual([4401, `x${'ü'.repeat(61)}`])
})
