/**
 * Forked by `rows/chats.ts`: clients that chat, in a process of their own. For each `Talking` message that many clients
 * ask at once; when all answers are complete, it sends `Heard`.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { quantile } from './clock.ts'

export interface Talking {
  url: string
  people: number
  /** How long tokens count as read in time, from the first request on. */
  ms: number
}

export interface Heard {
  /** Tokens read within `ms` after the first request, per second. */
  inTime: number
  /** All tokens read. */
  read: number
  /** The age of tokens when they are read, in ms. */
  age: { p50: number; p99: number }
  /** From the request to the first token, in ms. */
  first: { p50: number; p99: number }
  /** From the first request to the end of the last answer, in ms. */
  took: number
}

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
const headers = { 'content-type': 'application/json' }
const body = JSON.stringify({
  assistant_id: 'chat',
  input: { messages: [{ role: 'user', content: 'Hello' }] },
  if_not_exists: 'create',
  stream_mode: 'messages-tuple',
})
const TOKEN = /@(\d+\.\d)@/g
/** The longest token, including its marks. */
const TOKEN_CHARS = 20

process.on('message', async (asked: Talking) => process.send?.(await talk(asked)))
process.on('disconnect', () => process.exit())

async function talk({ url, people, ms }: Talking): Promise<Heard> {
  const begun = performance.now()
  const [ages, firsts] = [[] as number[], [] as number[]]
  let inTime = 0
  const onToken = (madeAt: number) => {
    const now = performance.now()
    ages.push(performance.timeOrigin + now - madeAt)
    if (now - begun <= ms) inTime += 1
  }
  const person = async () => {
    const asked = performance.now()
    let isFirst = true
    await ask(`${url}/threads/${randomUUID()}/runs/stream`, (madeAt) => {
      if (isFirst) firsts.push(performance.now() - asked)
      isFirst = false
      onToken(madeAt)
    })
  }
  await Promise.all(Array.from({ length: people }, person))
  if (firsts.length < people) throw new Error(`${people - firsts.length} people heard nothing.`)
  const tell = (times: number[]) => ({ p50: quantile(times, 0.5), p99: quantile(times, 0.99) })
  const took = performance.now() - begun
  return {
    inTime: (inTime * 1_000) / ms,
    read: ages.length,
    age: tell(ages),
    first: tell(firsts),
    took,
  }
}

/** Settles when the answer is complete. */
async function ask(url: string, onToken: (madeAt: number) => void): Promise<void> {
  const asked = request(url, { method: 'POST', headers, agent })
  asked.end(body)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}.`)
  response.setEncoding('latin1')
  let rest = ''
  response.on('data', (chunk: string) => {
    const text = rest + chunk
    let end = 0
    for (const token of text.matchAll(TOKEN)) {
      end = token.index + token[0].length
      onToken(Number(token[1]))
    }
    rest = text.slice(Math.max(end, text.length - TOKEN_CHARS))
  })
  await once(response, 'end')
}
