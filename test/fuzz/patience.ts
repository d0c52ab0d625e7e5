/** A proxy that cuts answers which go on and on: a client's own limit starts anew with each heartbeat. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

interface Patience {
  url: string
  stop(): void
}

/** In front of the server at `url`; cuts what is still being answered `limitMs` after it was asked. */
export async function limitAnswers(url: string, limitMs: number): Promise<Patience> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    let askedAt = performance.now()
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', () => {
      askedAt = performance.now()
    })
    upstream.on('data', () => {
      if (performance.now() - askedAt > limitMs) client.destroy()
    })
    client.pipe(upstream)
    upstream.pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
