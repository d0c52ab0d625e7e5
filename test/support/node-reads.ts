/** What Node's own HTTP server understands of some bytes. */
import http from 'node:http'
import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'

export interface ReadByNode {
  method: string | undefined
  url: string | undefined
  rawHeaders: string[]
  headers: http.IncomingHttpHeaders
  body: string
}

/** A connection without a network: what is pushed has come, what is written is kept. */
export class Line extends Duplex {
  written = ''

  constructor() {
    super({ allowHalfOpen: true })
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.written += chunk.toString('latin1')
    this.emit('written')
    done()
  }
}

/** The whole requests in the bytes, until something is no HTTP. */
export async function readByNode(bytes: Buffer): Promise<ReadByNode[]> {
  const found: Promise<ReadByNode>[] = []
  const server = http.createServer((req, res) => {
    found.push(whole(req))
    req.once('end', () => res.end())
  })
  const line = new Line()
  server.emit('connection', line)
  line.push(bytes)
  await turnsOver()
  line.destroy()
  return (await Promise.allSettled(found)).flatMap((one) =>
    one.status === 'fulfilled' ? [one.value] : [],
  )
}

/** Without a network everything happens within a few turns of the event loop. */
export async function turnsOver(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await setImmediate()
}

async function whole(req: http.IncomingMessage): Promise<ReadByNode> {
  const { method, url, rawHeaders, headers } = req
  let body = ''
  for await (const chunk of req) body += (chunk as Buffer).toString('latin1')
  return { method, url, rawHeaders, headers, body }
}
