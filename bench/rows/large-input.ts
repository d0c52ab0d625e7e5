/** The cost of a very large input, and how long it blocks other requests. */
import { Worker } from 'node:worker_threads'
import { request } from 'undici'
import { cpuUs } from '../cpu.ts'
import type { Row } from '../row.ts'
import { benchProject, type Server, startServer, temporaryFolder } from '../server.ts'

const LARGE = 48_000_000
const SMALL = LARGE / 10
const MESSAGE = 1_000

/** The costs are linear if the ratio is at most ten. */
export const largeInputRows: Row[] = [
  largeInputRow('large-message', 'one message', (chars) => [messageOf(chars)]),
  largeInputRow('large-list', 'messages of a kilobyte', (chars) =>
    Array.from({ length: chars / MESSAGE }, () => messageOf(MESSAGE)),
  ),
]

function largeInputRow(name: string, what: string, messagesOf: (chars: number) => object[]): Row {
  return {
    name,
    title: `runs/wait of an echo graph with ${LARGE / 1e6} MB of ${what}, SQLite`,
    unit: 'ms',
    pairs: 3,
    async open() {
      const data = await temporaryFolder()
      const args = ['serve', '--data-dir', data.path]
      const server = await startServer(args, { cwd: benchProject('echo') })
      const cost = (chars: number) => () => costOf(server, messagesOf(chars))
      await cost(MESSAGE)()
      return {
        figure: cost(LARGE),
        floors: { [`${SMALL / 1e6} MB`]: cost(SMALL) },
        async close() {
          await server.stop()
          await data.remove()
        },
      }
    },
  }
}

/** Like real text, with quotes and line breaks. */
function messageOf(chars: number): object {
  const line = 'The quick brown fox says "hi".\n'
  return { role: 'user', content: line.repeat(Math.ceil(chars / line.length)).slice(0, chars) }
}

async function costOf({ url, pid }: Server, messages: object[]): Promise<Record<string, number>> {
  const body = JSON.stringify({ assistant_id: 'echo', input: { messages } })
  const headers = { 'content-type': 'application/json' }
  const watch = watchOk(url)
  const before = cpuUs(pid)
  const response = await request(`${url}/runs/wait`, { method: 'POST', headers, body })
  const bytes = (await response.body.arrayBuffer()).byteLength
  if (response.statusCode !== 200 || bytes < body.length) throw new Error(`It answered ${bytes}.`)
  return { 'processor time': (cpuUs(pid) - before) / 1_000, pause: await watch() }
}

/** Calls `/ok` every 10 ms on a thread of its own; the returned function gives the longest time in ms. */
function watchOk(url: string): () => Promise<number> {
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
    let longest = 0
    let isOver = false
    parentPort.once('message', () => { isOver = true })
    const ask = async () => {
      const from = performance.now()
      await (await fetch(workerData + '/ok')).arrayBuffer()
      longest = Math.max(longest, performance.now() - from)
      if (isOver) parentPort.postMessage(longest)
      else setTimeout(ask, 10)
    }
    ask()`,
    { eval: true, workerData: url },
  )
  return () =>
    new Promise((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.postMessage('over')
    })
}
