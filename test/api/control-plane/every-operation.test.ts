/** Every operation of the document: who may call it, whom it is apart from, what it leaves behind. */
import { describe, expect, it } from 'vitest'
import { proofOf } from '../../../src/control-plane/domains/proof.ts'
import { ACCESS } from '../../../src/control-plane/people/access.ts'
import { isAllowed, type Role } from '../../../src/core/people/api-key.ts'
import { startControlPlane } from '../../support/control-plane/control-plane.ts'
import { furnish, type Things, tourOf } from '../../support/control-plane/control-plane-tour.ts'
import { startDnsServer } from '../../support/gateway/dns-server.ts'
import { forEachTest } from '../../support/running.ts'

const dns = forEachTest(startDnsServer)
const world = forEachTest(() =>
  startControlPlane({ isReconciling: false, dnsServers: [dns.address] }),
)

async function workspaceWithAdmin(name: string): Promise<{ id: string; key: string }> {
  const { id } = (await world.call('POST', '/v2/workspaces', { name })).body
  const request = { name: 'first', role: 'admin', workspace_id: id }
  for (const host of [name.toLowerCase(), 'walked']) proveDomain(id, `${host}.team.example.com`)
  return { id, key: (await world.call('POST', '/v2/api-keys', request)).body.key }
}

function proveDomain(workspace_id: string, host: string): void {
  const { name, value } = proofOf(world.store, { workspace_id }, host)
  const known = dns.records.get(name)
  const texts = typeof known === 'object' ? (known.TXT ?? []) : []
  dns.records.set(name, { TXT: [...texts, value] })
}

describe.each<Role>(['admin', 'developer', 'viewer', 'agent'])('a key of role %s', (role) => {
  it('is let in where the table says so, and nowhere else', async () => {
    const { id, key: admin } = await workspaceWithAdmin('Blue')
    const things = await furnish(world, admin, 'blue')
    const key = await world.keyOf(role, id)
    for (const { operation, method, path, body } of tourOf(things)) {
      const { status, body: answer } = await world.call(method, path, body, key)
      const need = ACCESS[operation]
      if (need === 'open') continue
      const isLetIn = need !== undefined && need !== 'operate' && isAllowed(role, need)
      expect({ operation, isLetIn: status !== 403, answer }).toMatchObject({ operation, isLetIn })
      if (isLetIn)
        expect({ operation, known: status !== 401 && status < 500 }).toMatchObject({ known: true })
    }
  })
})

describe('two workspaces', () => {
  it('cannot see or change each other, by any operation', async () => {
    const [blue, red] = [await workspaceWithAdmin('Blue'), await workspaceWithAdmin('Red')]
    const blues = await furnish(world, blue.key, 'blue')
    await furnish(world, red.key, 'red')
    const before = await everythingOf(blues, blue.key)
    for (const { operation, method, path, body } of tourOf(blues)) {
      const { status, body: answer } = await world.call(method, path, body, red.key)
      // These know no caller: what they come with protects them, and a link tells what it asks for.
      const isOpen = ACCESS[operation] === 'open'
      const kept = isOpen ? status !== 500 : isKept(status, answer, blues)
      expect({ operation, answer, kept }).toMatchObject({ operation, kept: true })
      const names = Object.values(blues).some((id) => path.includes(id))
      const isListed = ANSWER_WITH_NOTHING.includes(operation)
      if (names && !isListed && !isOpen)
        expect({ operation, isRefused: status >= 400 }).toMatchObject({ isRefused: true })
    }
    expect(await everythingOf(blues, blue.key)).toEqual(before)
  })
})

describe('every operation that changes something', () => {
  it('leaves an entry in the audit log', async () => {
    const { key } = await workspaceWithAdmin('Blue')
    const things = await furnish(world, key, 'blue')
    for (const { operation, method, path, body } of tourOf(things)) {
      if (method === 'GET' || method === 'PUT') continue
      const count = await entries(key)
      const { status } = await world.call(method, path, body, key)
      const isRead = operation.endsWith('_logs')
      const isChange = status < 300 && !isRead && !DONE_BEFORE.includes(operation)
      expect({ operation, status, added: (await entries(key)) - count }).toEqual({
        operation,
        status,
        added: Number(isChange),
      })
    }
  })
})

/** What the tour has done already when it comes there. */
const DONE_BEFORE = [
  'POST /v2/deployments/{deployment_id}/revisions/{revision_id}/interruption',
  'DELETE /v2/deployments/{deployment_id}',
]

async function entries(key: string): Promise<number> {
  const { body } = await world.call('GET', '/v2/audit-log?limit=500', undefined, key)
  return body.items.length
}

/** What is another's is not there for them, and that is no refusal. */
const ANSWER_WITH_NOTHING = [
  'GET /v2/deployments',
  'GET /v2/auth/wait/{auth_id}',
  'GET /v2/auth/agents/{agent_id}/connections',
  'DELETE /v2/auth/tokens/workspace/users/{user_id}',
]

/** What its own admin sees. */
async function everythingOf(things: Things, key: string): Promise<unknown[]> {
  const seen: unknown[] = []
  for (const { method, path } of tourOf(things)) {
    if (method !== 'GET' || path.includes('export')) continue
    const { status, body } = await world.call(method, path, undefined, key)
    seen.push({ path, status, body: withoutUse(body) })
  }
  return seen
}

function withoutUse(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body ?? null), (name, value) =>
    name === 'last_used_at' ? undefined : value,
  )
}

/** A refusal may repeat the id that was sent; an answer may not know any. */
function isKept(status: number, answer: unknown, things: Things): boolean {
  if (status >= 400) return status !== 500
  const text = JSON.stringify(answer ?? null)
  return !Object.values(things).some((id) => text.includes(id))
}
