/** A proxy that sends each request to the next of several servers, as a balancer without a memory does. */
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  request as requestOf,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

interface RoundRobin {
  url: string
  /** Cuts what is open. */
  stop(): Promise<void>
}

/** In front of the servers at `targets` (`http://HOST:PORT`). Port 0: a free one. */
export async function startRoundRobin(targets: string[], port: number): Promise<RoundRobin> {
  let turn = 0
  const next = () => new URL(targets[turn++ % targets.length] ?? '')
  const tunnels = new Set<Socket>()
  const proxy = createServer((request, response) => forward(next(), request, response))
  proxy.on('upgrade', (request, socket: Socket, head) => {
    tunnels.add(socket)
    socket.on('close', () => tunnels.delete(socket))
    tunnel(next(), request, socket, head)
  })
  // Clients give up idle connections themselves: none sends a request on one that is just closed here.
  proxy.keepAliveTimeout = 0
  proxy.listen(port, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async stop() {
      const closed = once(proxy, 'close')
      proxy.close()
      proxy.closeAllConnections()
      for (const socket of tunnels) socket.destroy()
      await closed
    },
  }
}

/** What breaks on one side breaks on the other. */
function forward(target: URL, request: IncomingMessage, response: ServerResponse): void {
  const { hostname, port } = target
  const { method, url: path, rawHeaders: headers } = request
  const upstream = requestOf({ hostname, port, method, path, headers, agent: false })
  upstream.on('error', () => response.destroy())
  response.on('close', () => upstream.destroy())
  upstream.on('response', (answer) => {
    answer.on('error', () => response.destroy())
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders)
    response.flushHeaders()
    answer.pipe(response)
  })
  request.on('error', () => upstream.destroy())
  request.pipe(upstream)
}

function tunnel(target: URL, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const upstream = connect(Number(target.port), target.hostname)
  const { method, url, rawHeaders } = request
  const lines = rawHeaders.flatMap((name, i) =>
    i % 2 === 0 ? `${name}: ${rawHeaders[i + 1]}` : [],
  )
  upstream.write(`${[`${method} ${url} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`)
  upstream.write(head)
  for (const [one, other] of [
    [socket, upstream],
    [upstream, socket],
  ] as const) {
    one.on('error', () => other.destroy())
    one.on('close', () => other.destroy())
  }
  upstream.pipe(socket).pipe(upstream)
}
