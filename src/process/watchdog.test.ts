import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'

const watchdog = new URL('watchdog.ts', import.meta.url).href
const origin = new URL('../core/origin.ts', import.meta.url).href

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

/**
 * In a process of its own, whose loop `block` blocks until the node's place is told, in the file `told`;
 * answers all lines that are told until the loop goes on.
 */
async function linesOf(block: string): Promise<Record<string, unknown>[]> {
  const told = join(folder, 'told')
  const script = `
    import { execFileSync } from 'node:child_process'
    import { readFileSync } from 'node:fs'
    import { setTimeout as delay } from 'node:timers/promises'
    const { Watchdog } = await import('${watchdog}')
    const { withOrigin } = await import('${origin}')
    const told = '${told}'
    const limits = { blockedMs: 200, lookMs: 50, pauseMs: 300 }
    const dog = new Watchdog({ isManaged: false, logLevel: 'info', limits })
    dog.start()
    ${block}
    while (!readFileSync(told, 'utf8').trimEnd().endsWith('goes on"}')) await delay(10)
    dog.stop()`
  const shell = ['-c', 'exec "$0" --input-type=module --eval "$1" 2>"$2"']
  await promisify(execFile)('sh', [...shell, process.execPath, script, told], { timeout: 50_000 })
  const lines = readFileSync(told, 'utf8').split('\n')
  return lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
}

const place = { run_id: 'the run', thread_id: 'the thread', node: 'the node' }
const IN_NODE = JSON.stringify(place)
const OVER = { level: 'warn', msg: 'the event loop goes on' }

test('a node that blocks the loop is told of with its place, whichever was called last', async () => {
  const lines = await linesOf(`
    async function spin() {
      await delay(1)
      while (!readFileSync(told, 'utf8').includes('the run')) Math.random()
    }
    const spun = withOrigin(${IN_NODE}, spin)
    dog.note({ run_id: 'another' })
    await spun`)
  // A machine that is busy may keep the loop waiting before, which is told of too.
  const told = lines.find(({ run_id }) => run_id === place.run_id)
  expect(told).toMatchObject({ level: 'error', ...place })
  expect(lines.at(-1)).toMatchObject(OVER)
  expect(told?.blocked_ms).toBeGreaterThan(199)
  expect(told).not.toHaveProperty('is_last_begun')
})

test('of what no debugger can stop the node is told that was called last, from the start on', async () => {
  const lines = await linesOf(`
    dog.note(${IN_NODE})
    execFileSync('sh', ['-c', 'while test -e "$0" && ! grep -q "the run" "$0"; do sleep 0.05; done', told])`)
  expect(lines[0]).toMatchObject({ level: 'error', ...place, is_last_begun: true })
  expect(lines.at(-1)).toMatchObject(OVER)
})
