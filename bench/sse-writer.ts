/**
 * `node sse-writer.ts FRAME`: prints its port. Answers `GET /?count=N&readers=M` with N times the frame,
 * as fast as it is read, once M clients have asked.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const frame = process.argv[2] ?? ''
let waiting: (() => void)[] = []

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const [count, readers] = [Number(searchParams.get('count')), Number(searchParams.get('readers'))]
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  waiting.push(() => write(response, count))
  if (waiting.length < readers) return
  for (const begin of waiting) begin()
  waiting = []
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))

function write(response: ServerResponse, left: number): void {
  for (let more = left; more > 0; more -= 1) {
    if (!response.write(frame)) return void response.once('drain', () => write(response, more - 1))
  }
  response.end()
}
