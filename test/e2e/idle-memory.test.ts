/** V8 does what the process is told for: a heap that has grown shrinks once nothing happens any more. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { afterEach, expect, it } from 'vitest'

const HEAP = resolve(import.meta.dirname, '../../src/process/heap.ts')
/** Keeps 10 MB of small objects and leaves the rest; answers any message with the size of its heap. */
const PROGRAM = `
  import { getHeapStatistics } from 'node:v8'
  import { giveMemoryBackWhenIdle } from ${JSON.stringify(HEAP)}
  giveMemoryBackWhenIdle()
  const kept = []
  for (let i = 0; i < 3_000_000; i += 1) {
    const made = { i, text: 'n' + i }
    if (i % 30 === 0) kept.push(made)
  }
  process.on('message', () => process.send(kept.length && getHeapStatistics().total_heap_size))
`

let child: ChildProcess | undefined
afterEach(() => child?.kill('SIGKILL'))

it('gives memory back when it has nothing to do', async () => {
  const args = ['--input-type=module', '--eval', PROGRAM]
  child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const size = async () => {
    child?.send('how much?')
    const [bytes] = (await once(child as ChildProcess, 'message')) as [number]
    return bytes
  }
  const first = await size()
  await expect.poll(size, { interval: 2_000, timeout: 90_000 }).toBeLessThan(first * 0.6)
})
