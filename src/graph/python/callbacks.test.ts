import { expect, test } from 'vitest'
import { Bindings, Callbacks } from './callbacks.ts'
import type { IncomingCall } from './peer.ts'

test.each(['constructor', 'toString', '__proto__', 'nope'])(
  'a host has no %s to call',
  async (method) => {
    const callbacks = new Callbacks({
      bindings: new Bindings(),
      server: () => undefined,
      passOn: () => undefined,
    })
    await expect(callbacks.answer({ method, params: {} } as IncomingCall)).rejects.toThrow(
      `The agent server has no ${method}.`,
    )
  },
)

test('what a host keeps is there for every process, and a value that is too long is refused', async () => {
  const callbacks = new Callbacks({
    bindings: new Bindings(),
    server: () => undefined,
    passOn: () => undefined,
  })
  const call = (method: string, params: object) =>
    callbacks.answer({ method, params } as unknown as IncomingCall)
  expect(await call('cache.get', { key: 'a' })).toBeNull()
  await call('cache.set', { key: 'a', value: '[1]', ttl_ms: 60_000 })
  expect(await call('cache.get', { key: 'a' })).toBe('[1]')
  const long = { key: 'a', value: 'x'.repeat(1024 ** 2), ttl_ms: 1 }
  await expect(call('cache.set', long)).rejects.toThrow('at most 1048576 characters')
  expect(await call('cache.get', { key: 'a' })).toBe('[1]')
})
