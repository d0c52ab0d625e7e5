/** `node invoke.ts none|memory CLIENTS WARM_UP_MS MS`: prints runs/s of `graph.invoke` alone. */
import { randomUUID } from 'node:crypto'

process.env.LANGCHAIN_CALLBACKS_BACKGROUND = 'false'
const { MemorySaver } = await import('@langchain/langgraph')
const { compileEcho } = await import('./projects/echo/graph.ts')
const { rate } = await import('./clock.ts')

const [checkpoints, clients, warmUpMs, ms] = process.argv.slice(2)
const graph = checkpoints === 'memory' ? compileEcho(new MemorySaver()) : compileEcho()
const run = () =>
  graph.invoke(
    { messages: [{ role: 'user', content: 'Hello' }] },
    { configurable: { thread_id: randomUUID() } },
  )
await rate(run, { clients: Number(clients), ms: Number(warmUpMs) })
console.log(await rate(run, { clients: Number(clients), ms: Number(ms) }))
