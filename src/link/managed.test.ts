import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { endTogether } from '../../test/support/processes/end-together.ts'
import { endingOf } from './managed.ts'
import type { DriverLink, StartMessage } from './messages.ts'

/** A driver that says what `say` is given. */
function world(lingerMs?: number) {
  const listeners = new Set<(message: unknown) => void>()
  const link: DriverLink = {
    send: async () => {},
    onMessage(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const named = { deployment_id: 'd', deployment_name: 'd', revision_id: 'r' }
  const start: StartMessage = { type: 'start', ...named, secrets: {}, gatewayToken: 't' }
  const { released: release, hurry } = endingOf({
    start: { ...start, ...(lingerMs && { lingerMs }) },
    link,
  })
  return {
    release,
    hurry,
    say: (message: unknown) => listeners.forEach((hear) => void hear(message)),
  }
}

const DAY_MS = 86_400_000

it('lets an agent server end at once that is not to wait for another one', async () => {
  await world().release()
})

it.each([{ type: 'release' }, { type: 'stop' }, { type: 'drain', graceMs: 0, checkpointMs: 0 }])(
  'lets it end once its driver says %o, before or after',
  async (message) => {
    const told = world(DAY_MS)
    told.say(message)
    await told.release()
    const waiting = world(DAY_MS)
    const released = waiting.release()
    waiting.say({ type: 'measure' })
    expect(await Promise.race([released.then(() => 'released'), 'waits'])).toBe('waits')
    waiting.say(message)
    await released
  },
)

it('lets what is open go on as long as its driver says, until that wants it gone', async () => {
  const { release, hurry, say } = world(DAY_MS)
  say({ type: 'release', drainMs: 5000 })
  expect(await release()).toBe(5000)
  expect(hurry.aborted).toBe(false)
  say({ type: 'release' })
  expect(hurry.aborted).toBe(true)
})

it('lets it end after its time in any case', async () => {
  await world(20).release()
})

const MODULE = new URL('managed.ts', import.meta.url).href
const START = {
  ...{ type: 'start', deployment_id: 'd', deployment_name: 'n', revision_id: 'r' },
  ...{ gatewayToken: 't', secrets: { KEY: 'ü'.repeat(100_000) } },
}
/** To look at the stream has its pipe not wait, as engines hand it over. */
const READ = `
  process.stdin
  const { receiveStart } = await import('${MODULE}')
  console.error('reading')
  const { start } = await receiveStart('/dev/stdin', new AbortController().signal)
  console.log(start.secrets.KEY.length)
`

it('reads a start message from standard input that comes later, and in parts', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', READ])
  endTogether(child, 'SIGKILL')
  const said = text(child.stdout)
  await once(child.stderr, 'data')
  const message = Buffer.from(JSON.stringify(START))
  child.stdin.write(message.subarray(0, 150_001))
  child.stdin.end(message.subarray(150_001))
  expect(await said).toBe('100000\n')
})
