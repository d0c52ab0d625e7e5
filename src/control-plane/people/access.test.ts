import { describe, expect, it } from 'vitest'
import { nameOf, operationsOf, readDocument } from '../../../test/contract/document.ts'
import {
  DEFAULT_WORKSPACE_ID,
  type Principal,
  ROLES,
  type Role,
} from '../../core/people/api-key.ts'
import { ACCESS, type Need, requirePermission } from './access.ts'

it('decides for every operation of the document who may call it, and for no other', () => {
  const operations = operationsOf(readDocument('control-plane')).map(nameOf)
  expect(Object.keys(ACCESS).toSorted()).toEqual(operations.toSorted())
})

it('asks for a key wherever the document says so', () => {
  const open = operationsOf(readDocument('control-plane')).filter(
    ({ operation }) => operation.security?.length === 0,
  )
  // A listener's key is no principal's: its operations ask for it themselves.
  const needless = Object.keys(ACCESS).filter(
    (operation) => ACCESS[operation] === 'open' && !operation.includes(' /internal/listener/'),
  )
  expect(needless.toSorted()).toEqual(open.map(nameOf).toSorted())
})

function principal(role: Role, change: Partial<Principal> = {}): Principal {
  return {
    user_id: 'u',
    name: 'laptop',
    kind: 'api_key',
    workspace_id: DEFAULT_WORKSPACE_ID,
    role,
    ...change,
  }
}

describe.each<[Need, readonly Role[]]>([
  ['read', ['admin', 'developer', 'viewer']],
  ['write', ['admin', 'developer']],
  ['administer', ['admin']],
  ['look_at_agents', ['admin', 'developer', 'viewer', 'agent']],
  ['talk_to_agents', ['admin', 'developer', 'agent']],
  ['hold_tokens', ['admin', 'developer', 'viewer', 'agent']],
  ['operate', ['admin']],
])('what needs %s', (need, allowed) => {
  it.each(ROLES)('is decided for the role %s', (role) => {
    const ask = () => requirePermission(principal(role), need)
    if (allowed.includes(role)) expect(ask).not.toThrow()
    else expect(ask).toThrow(expect.objectContaining({ code: 'forbidden' }))
  })
})

it('only admins of the first workspace run the installation', () => {
  const elsewhere = principal('admin', { workspace_id: '22222222-2222-4222-8222-222222222222' })
  expect(() => requirePermission(elsewhere, 'administer')).not.toThrow()
  expect(() => requirePermission(elsewhere, 'operate')).toThrow('admins of the first workspace')
})

it('a refusal says who may not do it, and what it needs', () => {
  const asKey = () => requirePermission(principal('viewer'), 'write')
  expect(asKey).toThrow(
    'An API key with role viewer may not do this: it needs the permission write',
  )
  const asUser = () => requirePermission(principal('viewer', { kind: 'user' }), 'write')
  expect(asUser).toThrow('A user with role viewer')
})
