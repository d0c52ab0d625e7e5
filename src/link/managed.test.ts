import { expect, it } from 'vitest'
import type { DriverLink } from './link.ts'
import { endingOf } from './managed.ts'
import type { StartMessage } from './messages.ts'

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
