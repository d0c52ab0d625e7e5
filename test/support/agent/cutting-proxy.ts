/** A connection to a server that can break: between the two a proxy that hangs up when it is told. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface CuttingProxy {
  /** Leads to the server. */
  url: string
  /** How many connections clients have opened so far. */
  readonly connections: number
  /** Breaks every connection that is open, without a clean end. New ones are taken. */
  cut(): void
  stop(): Promise<void>
}

/** On a port of its own, in front of the server at `target` (`http://HOST:PORT`). */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let connections = 0
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy()
  }
  const proxy = createServer((client) => {
    connections += 1
    const server = connect(Number(port), hostname)
    for (const socket of [client, server]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => open.delete(socket))
    }
    client.pipe(server).pipe(client)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    get connections() {
      return connections
    },
    cut,
    async stop() {
      const closed = once(proxy, 'close')
      proxy.close()
      cut()
      await closed
    },
  }
}
