import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const watchdog = new URL('watchdog.ts', import.meta.url).href
const origin = new URL('../core/origin.ts', import.meta.url).href

/** In a process of its own, whose loop is blocked; answers the lines that it is told with. */
async function linesOf(block: string): Promise<Record<string, unknown>[]> {
  const script = `
    import { execFileSync } from 'node:child_process'
    import { setTimeout as delay } from 'node:timers/promises'
    const { Watchdog } = await import('${watchdog}')
    const { withOrigin } = await import('${origin}')
    const dog = new Watchdog({ isManaged: false, logLevel: 'info', blockedMs: 700 })
    const rest = () => delay(1_200)
    await rest()
    dog.start()
    ${block}
    await rest()
    dog.stop()
    await rest()`
  const args = ['--input-type=module', '--eval', script]
  const { stderr } = await promisify(execFile)(process.execPath, args)
  return stderr.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
}

const IN_NODE = "{ run_id: 'the run', thread_id: 'the thread', node: 'the node' }"
const place = { run_id: 'the run', thread_id: 'the thread', node: 'the node' }
const OVER = { level: 'warn', msg: 'the event loop goes on' }

test('a node that blocks the loop is told of with its place, whichever was called last', async () => {
  const lines = await linesOf(`
    async function spin() {
      await rest()
      for (const end = performance.now() + 1_900; performance.now() < end; ) Math.random()
    }
    const spun = withOrigin(${IN_NODE}, spin)
    dog.note({ run_id: 'another' })
    await spun`)
  // A machine that is busy may keep the loop waiting before, which is told of too.
  const told = lines.find(({ run_id }) => run_id === place.run_id)
  expect(told).toMatchObject({ level: 'error', ...place })
  expect(lines.at(-1)).toMatchObject(OVER)
  expect(told?.blocked_ms).toBeGreaterThan(699)
  expect(told).not.toHaveProperty('is_last_begun')
})

test('of what no debugger can stop the node is told that was called last, from the start on', async () => {
  const lines = await linesOf(`
    dog.note(${IN_NODE})
    execFileSync('sleep', ['5'])`)
  expect(lines[0]).toMatchObject({ level: 'error', ...place, is_last_begun: true })
  expect(lines.at(-1)).toMatchObject(OVER)
})
