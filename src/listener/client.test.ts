import { expect, it } from 'vitest'
import { AppError } from '../core/errors.ts'
import type { Principal } from '../core/people/api-key.ts'
import { createCallers } from './client.ts'

const MINUTE_MS = 60_000
const principal: Principal = {
  kind: 'api_key',
  user_id: 'u',
  name: 'a key',
  workspace_id: 'w',
  role: 'agent',
}

/** A control plane that answers as it is told, and a clock. */
function aWorld() {
  let now = 0
  let says: () => Principal = () => principal
  const authenticate = createCallers({ caller: async () => says() }, { now: () => now })
  const headers = new Headers({ 'x-api-key': 'key' })
  return {
    ask: () => authenticate(headers),
    pass(minutes: number) {
      now += minutes * MINUTE_MS
    },
    refuses(error: Error) {
      says = () => {
        throw error
      }
    },
  }
}

it('believes a key for an hour while the control plane is away, however often it comes', async () => {
  const world = aWorld()
  expect(await world.ask()).toEqual(principal)
  world.refuses(new AppError('unavailable', 'It is away.'))
  for (let minutes = 2; minutes < 60; minutes += 2) {
    world.pass(2)
    expect(await world.ask()).toEqual(principal)
  }
  world.pass(2)
  await expect(world.ask()).rejects.toMatchObject({ code: 'unavailable' })
})

it('refuses a revoked key after a minute', async () => {
  const world = aWorld()
  await world.ask()
  world.refuses(new AppError('unauthenticated', 'It was revoked.'))
  expect(await world.ask()).toEqual(principal)
  world.pass(1)
  await expect(world.ask()).rejects.toMatchObject({ code: 'unauthenticated' })
})

it('says that it is unavailable where the answer does not come in time', async () => {
  const world = aWorld()
  world.refuses(new DOMException('The operation timed out.', 'TimeoutError'))
  await expect(world.ask()).rejects.toMatchObject({ code: 'unavailable' })
})
