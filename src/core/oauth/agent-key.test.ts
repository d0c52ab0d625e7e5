import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { agentKeyOf, deploymentOf } from './agent-key.ts'

describe('the key of a deployment’s agents', () => {
  const signingKey = randomBytes(32)
  const id = randomUUID()
  const key = agentKeyOf(signingKey, id)

  it('names its deployment, to who can prove it', () => {
    expect(deploymentOf(signingKey, key)).toBe(id)
    expect(deploymentOf(randomBytes(32), key)).toBeUndefined()
  })

  it.each([
    ['another deployment’s name', key.replace(id, randomUUID())],
    ['a proof that is too short', key.slice(0, -1)],
    ['a changed proof', key.slice(0, -2) + (key.endsWith('AA') ? 'BB' : 'AA')],
    ['no key', 'ry_abc'],
    ['nothing', ''],
  ])('is not taken with %s', (_, other) => {
    expect(deploymentOf(signingKey, other)).toBeUndefined()
  })
})
