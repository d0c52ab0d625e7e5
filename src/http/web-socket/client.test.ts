import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { WebSocketClient } from './client.ts'

const HANDSHAKE = [
  'GET / HTTP/1.1',
  'Host: x',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  '',
  '',
].join('\r\n')

const open: { close(): void }[] = []
afterEach(() => {
  for (const one of open.splice(0)) one.close()
})

/** A client that has shaken hands and reads nothing more until it is told to. */
async function deafClient(): Promise<{ ws: WebSocket; socket: Socket; client: WebSocketClient }> {
  const http = createServer().listen(0, '127.0.0.1')
  const server = new WebSocketServer({ server: http })
  await once(http, 'listening')
  const socket = connect((http.address() as AddressInfo).port, '127.0.0.1')
  open.push({ close: () => socket.destroy() }, server, http)
  const connected = once(server, 'connection')
  socket.write(HANDSHAKE)
  const [ws, request] = (await connected) as [WebSocket, IncomingMessage]
  socket.pause()
  return { ws, socket, client: new WebSocketClient(ws, request.socket) }
}

test('who sends to a client that does not read waits, with a bounded amount on its way', async () => {
  const { ws, socket, client } = await deafClient()
  const text = 'x'.repeat(65_536)
  let isSettled = true
  let last = Promise.resolve()
  while (isSettled) {
    isSettled = false
    last = client.send(text).then(() => {
      isSettled = true
    })
    await turn()
  }
  expect(ws.bufferedAmount).toBeLessThan(1_000_000)
  socket.resume()
  await last
  expect(isSettled).toBe(true)
})

test('a client that leaves makes nobody wait', async () => {
  const { ws, socket, client } = await deafClient()
  const sent: Promise<void>[] = []
  while (ws.bufferedAmount < 500_000) sent.push(client.send('x'.repeat(65_536)))
  socket.destroy()
  await Promise.all(sent)
  await client.whenLeft()
  await client.send('dropped')
})

test('texts that are sent together arrive as messages of their own', async () => {
  const http = createServer().listen(0, '127.0.0.1')
  const server = new WebSocketServer({ server: http })
  await once(http, 'listening')
  const reader = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`)
  open.push({ close: () => reader.terminate() }, server, http)
  const [ws, request] = (await once(server, 'connection')) as [WebSocket, IncomingMessage]
  const got: string[] = []
  reader.on('message', (data) => got.push(String(data)))
  const client = new WebSocketClient(ws, request.socket)
  await client.sendAll([])
  await client.sendAll(['a', 'b'])
  await client.send('c')
  // The length of a message has one, three or nine bytes; letters have up to four.
  const lengths = [0, 125, 126, 65_535, 65_536, 200_000].map((length) => 'x'.repeat(length))
  const letters = ['ü'.repeat(100), '{"emoji":"👋"}', '漢字'.repeat(20_000)]
  await client.sendAll([...lengths, ...letters])
  ws.send('of the library')
  const all = ['a', 'b', 'c', ...lengths, ...letters, 'of the library']
  while (got.length < all.length) await once(reader, 'message')
  expect(got).toEqual(all)
})
