/** A way to the tests' PostgreSQL that breaks at a chosen message. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { freshPostgres } from './postgres.ts'

/**
 * When the client's connection breaks: `before` the message reaches the server, whose connection breaks
 * too; `after` the server has done what it says, with the answer withheld; `late`: as `before` for the
 * client, but the server has the message when it is let go.
 */
type Moment = 'before' | 'after' | 'late'

/**
 * The first message that ends something, after one that holds `text`: a commit, which is COMMIT or the end of a statement
 * outside of a transaction, or any statement's end.
 */
interface Place {
  text: string
  end: 'commit' | 'statement'
}

export interface PostgresProxy {
  /** Of a fresh schema, through the proxy. */
  url: string
  /** Once, on the connection that comes to this place first; settles when it is cut. */
  cutAt(place: Place, moment: Moment): Promise<{ letGo: () => void }>
  /** Breaks all connections, and every new one at once, until `up`. */
  down(): void
  up(): void
  stop(): Promise<void>
}

interface Order extends Place {
  moment: Moment
  cut: PromiseWithResolvers<{ letGo: () => void }>
}

export async function startPostgresProxy(): Promise<PostgresProxy> {
  const direct = await freshPostgres()
  const open = new Set<Socket>()
  const orders: Order[] = []
  let isDown = false
  const proxy = createServer((client) => {
    if (isDown) {
      client.destroy()
      return
    }
    const server = connectTo(direct)
    for (const socket of [client, server]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => open.delete(socket))
    }
    relay(client, server, orders)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = new URL(direct)
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return {
    url: url.href,
    cutAt(place, moment) {
      const order = { ...place, moment, cut: Promise.withResolvers<{ letGo: () => void }>() }
      orders.push(order)
      return order.cut.promise
    },
    down() {
      isDown = true
      for (const socket of open) socket.destroy()
    },
    up() {
      isDown = false
    },
    async stop() {
      const closed = once(proxy, 'close')
      proxy.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

function connectTo(direct: string): Socket {
  const url = new URL(direct)
  const port = Number(url.port || 5432)
  const folder = url.searchParams.get('host')
  return folder ? connect(join(folder, `.s.PGSQL.${port}`)) : connect(port, url.hostname)
}

function relay(client: Socket, server: Socket, orders: Order[]): void {
  const ofClient = new Messages({ hasStart: true })
  const ofServer = new Messages({ hasStart: false })
  const seen = new Set<Order>()
  /** How many answers the server owes; the first is to the greeting. */
  let owed = 1
  let isInTransaction = false
  let onAnswered: (() => void) | undefined
  client.on('data', (data) => {
    for (const message of ofClient.take(data)) {
      const isCommit = isEnd('commit', message) || (message[0] === SYNC && !isInTransaction)
      const order = orders.find((one) => isAt(one, message, { seen, isCommit }))
      if (isEnd('statement', message)) owed += 1
      // BEGIN may name READ COMMITTED.
      if (message[0] === QUERY && message.includes('BEGIN')) isInTransaction = true
      else if (message[0] === QUERY && /COMMIT|ROLLBACK/.test(`${message}`)) isInTransaction = false
      if (!order) server.write(message)
      else cut(order, message)
    }
  })
  server.on('data', (data) => {
    for (const message of ofServer.take(data)) if (message[0] === READY) owed -= 1
    if (!onAnswered) client.write(data)
    else if (owed === 0) onAnswered()
  })
  server.on('close', () => client.destroy())
  client.on('close', () => {
    if (!onAnswered) server.destroy()
  })

  function cut(order: Order, message: Buffer): void {
    orders.splice(orders.indexOf(order), 1)
    const { moment, cut } = order
    const letGo = () => void server.write(message)
    onAnswered = () => {
      client.resetAndDestroy()
      server.destroy()
      cut.resolve({ letGo })
    }
    switch (moment) {
      case 'before':
        onAnswered()
        break
      case 'after':
        letGo()
        break
      case 'late':
        client.resetAndDestroy()
        cut.resolve({ letGo })
    }
  }
}

function isAt(
  order: Order,
  message: Buffer,
  { seen, isCommit }: { seen: Set<Order>; isCommit: boolean },
): boolean {
  if (message.includes(order.text)) seen.add(order)
  return seen.has(order) && (order.end === 'commit' ? isCommit : isEnd('statement', message))
}

const [QUERY, SYNC, READY] = ['Q', 'S', 'Z'].map((letter) => letter.charCodeAt(0))

function isEnd(end: Place['end'], message: Buffer): boolean {
  if (end === 'commit') return message[0] === QUERY && message.includes('COMMIT')
  return message[0] === QUERY || message[0] === SYNC
}

/** Whole messages of PostgreSQL's protocol: a letter, a length, the rest. The greeting has no letter. */
class Messages {
  #rest = Buffer.alloc(0)
  #isStart: boolean

  constructor({ hasStart }: { hasStart: boolean }) {
    this.#isStart = hasStart
  }

  *take(data: Buffer): Iterable<Buffer> {
    this.#rest = Buffer.concat([this.#rest, data])
    for (;;) {
      const before = this.#isStart ? 0 : 1
      if (this.#rest.length < before + 4) return
      const length = before + this.#rest.readInt32BE(before)
      if (this.#rest.length < length) return
      const message = this.#rest.subarray(0, length)
      this.#rest = this.#rest.subarray(length)
      this.#isStart = false
      yield message
    }
  }
}
