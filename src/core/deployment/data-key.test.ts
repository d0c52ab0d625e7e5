import { randomBytes, randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { dataKeyOf } from './data-key.ts'

it('is the same for a deployment each time, and another one for each other', () => {
  const signingKey = randomBytes(32)
  const id = randomUUID()
  const key = dataKeyOf(signingKey, id)
  expect(dataKeyOf(Uint8Array.from(signingKey), id)).toBe(key)
  expect(Buffer.from(key, 'base64')).toHaveLength(32)
  expect(dataKeyOf(signingKey, randomUUID())).not.toBe(key)
  expect(dataKeyOf(randomBytes(32), id)).not.toBe(key)
})
