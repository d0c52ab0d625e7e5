import { expect, test } from 'vitest'
import { Bindings } from './bindings.ts'
import { Callbacks } from './callbacks.ts'
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
