/**
 * `node chat-floor.ts`: the graph of `projects/chat` behind Node's HTTP server, and nothing else. Prints its port; each
 * request starts a run and gets its tokens as server-sent events.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chat } from './projects/chat/graph.ts'

const input = { messages: [{ role: 'user', content: 'Hello' }] }

const server = createServer(async (request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  for await (const [message, metadata] of await chat.stream(input, { streamMode: 'messages' })) {
    const { id, content } = message
    const data = JSON.stringify([{ type: 'AIMessageChunk', id, content }, metadata])
    response.write(`event: messages\ndata: ${data}\n\n`)
  }
  response.end()
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
