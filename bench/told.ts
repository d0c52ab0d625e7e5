/** Readers of event streams that only count. */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { WebSocket } from 'ws'

/** The number of events that a reader has received. */
export class Told {
  readonly leave: () => void
  #count = 0
  #wanted = Number.POSITIVE_INFINITY
  #reached = Promise.withResolvers<void>()

  constructor(leave: () => void) {
    this.leave = leave
  }

  /** Settles when that many events have come in all; rejects if the stream ends before. */
  events(wanted: number): Promise<void> {
    this.#wanted = wanted
    this.#reached = Promise.withResolvers()
    this.add(0)
    return this.#reached.promise
  }

  add(count: number): void {
    this.#count += count
    if (this.#count >= this.#wanted) this.#reached.resolve()
  }

  end(): void {
    this.#reached.promise.catch(() => {})
    this.#reached.reject(new Error(`The stream ended after ${this.#count} events.`))
  }
}

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

/** Opens server-sent events, by POST if there is a body; settles when the headers have come. */
export async function openEvents(url: string, body?: object): Promise<Told> {
  const headers = { 'content-type': 'application/json' }
  const asked = request(url, { method: body ? 'POST' : 'GET', headers, agent })
  asked.end(body && JSON.stringify(body))
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}.`)
  const told = new Told(() => response.destroy())
  const ends = { isWithin: false }
  response.on('data', (bytes: Buffer) => told.add(endsIn(bytes, ends)))
  response.on('error', () => {})
  response.on('close', () => told.end())
  return told
}

/** Counts blank lines, each the end of an event; chunks may split one. */
function endsIn(bytes: Buffer, state: { isWithin: boolean }): number {
  let count = state.isWithin && bytes[0] === 10 ? 1 : 0
  for (let at = bytes.indexOf('\n\n'); at >= 0; at = bytes.indexOf('\n\n', at + 2)) count += 1
  state.isWithin = bytes.at(-1) === 10 && bytes.at(-2) !== 10
  return count
}

/** Opens a WebSocket, sends the messages and counts what comes, including answers. */
export async function openSocket(url: string, messages: object[]): Promise<Told> {
  const socket = new WebSocket(url)
  const told = new Told(() => socket.terminate())
  await once(socket, 'open')
  socket.on('message', () => told.add(1))
  socket.on('close', () => told.end())
  for (const message of messages) socket.send(JSON.stringify(message))
  return told
}
