import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'

const module = new URL('end-together.ts', import.meta.url).href

test.each([
  ['is told to end', 'SIGTERM'],
  ['ends by itself', undefined],
] as const)('children end with a process that %s', async (_how, signal) => {
  const script = `
    import { spawn } from 'node:child_process'
    const { endTogether } = await import('${module}')
    const child = spawn('sleep', ['90'], { stdio: ['ignore', 'inherit', 'ignore'] })
    endTogether(child, 'SIGTERM')
    console.log(child.pid)
    ${signal ? 'setInterval(() => {}, 1_000)' : 'process.exit(0)'}`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // The child holds it open too.
  const closed = Promise.all([once(parent.stdout, 'close'), once(parent, 'exit')])
  const [line] = await once(parent.stdout, 'data')
  expect(Number(line)).toBeGreaterThan(0)
  if (signal) parent.kill(signal)
  await closed
  expect(parent.signalCode ?? undefined).toBe(signal)
})
