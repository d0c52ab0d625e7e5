/**
 * Forked by `bare-graph.ts`: the echo graph in a process that does nothing else. `none`, `sqlite FILE`
 * or `postgres URL` names its checkpointer; then it answers each `Asked` message.
 */
import { randomUUID } from 'node:crypto'
import type { Asked } from './bare-graph.ts'

process.env.LANGCHAIN_CALLBACKS_BACKGROUND = 'false'
const { compileEcho } = await import('./projects/echo/graph.ts')
const { openPostgresSaver, openSqliteSaver } = await import('./savers.ts')
const { rate, repeated } = await import('./clock.ts')
const { talk } = await import('./talk.ts')

const [kind = '', place = ''] = process.argv.slice(2)
const graph = compileEcho(await openSaver())
process.on('message', async (asked: Asked) => process.send?.(await answer(asked)))
process.on('disconnect', () => process.exit())

async function openSaver() {
  if (kind === 'sqlite') return openSqliteSaver(place)
  if (kind === 'postgres') return openPostgresSaver(place)
  return undefined
}

async function answer(asked: Asked): Promise<unknown> {
  switch (asked.what) {
    case 'rate':
      return rate(() => invoke(randomUUID(), 'Hello'), asked)
    case 'invoke':
      return repeated(timeToEnd, asked.times)
    case 'first chunk':
      return repeated(timeToFirst, asked.times)
    case 'talk':
      await talk(asked, invoke)
      return 'said'
  }
}

function invoke(thread_id: string, content: string) {
  return graph.invoke({ messages: [{ role: 'user', content }] }, { configurable: { thread_id } })
}

async function timeToEnd(): Promise<number> {
  const from = performance.now()
  await invoke(randomUUID(), 'Hello')
  return performance.now() - from
}

/** Reads the run to its end, so that the next one is alone. */
async function timeToFirst(): Promise<number> {
  const from = performance.now()
  const configurable = { thread_id: randomUUID() }
  const input = { messages: [{ role: 'user', content: 'Hello' }] }
  let first: number | undefined
  for await (const _ of await graph.stream(input, { configurable, streamMode: 'values' })) {
    first ??= performance.now() - from
  }
  return first ?? Number.NaN
}
