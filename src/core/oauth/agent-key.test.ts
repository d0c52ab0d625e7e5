import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { agentKeyOf, deploymentNamedBy, isAgentKeyOf } from './agent-key.ts'

describe('the key of a deployment’s agents', () => {
  const signingKey = randomBytes(32)
  const deployment = { id: randomUUID(), agent_key_nonce: null }
  const { id } = deployment
  const key = agentKeyOf(signingKey, deployment)

  it('names its deployment, and proves it', () => {
    expect(deploymentNamedBy(key)).toBe(id)
    expect(isAgentKeyOf(signingKey, key, deployment)).toBe(true)
    expect(isAgentKeyOf(randomBytes(32), key, deployment)).toBe(false)
    expect(isAgentKeyOf(signingKey, key, { ...deployment, id: randomUUID() })).toBe(false)
  })

  it('ends with another nonce, and each nonce has a key of its own', () => {
    const changed = { id, agent_key_nonce: 'another' }
    expect(isAgentKeyOf(signingKey, key, changed)).toBe(false)
    const next = agentKeyOf(signingKey, changed)
    expect(isAgentKeyOf(signingKey, next, changed)).toBe(true)
    expect(isAgentKeyOf(signingKey, next, deployment)).toBe(false)
  })

  it.each([
    ['a proof that is too short', key.slice(0, -1)],
    ['a changed proof', key.slice(0, -2) + (key.endsWith('AA') ? 'BB' : 'AA')],
    ['no key', 'ry_abc'],
    ['nothing', ''],
  ])('is not taken with %s', (_, other) => {
    expect(isAgentKeyOf(signingKey, other, deployment)).toBe(false)
  })
})
