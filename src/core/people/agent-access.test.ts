import { expect, it, test } from 'vitest'
import { nameOf, operationsOf, readDocument } from '../../../test/contract/document.ts'
import { AGENT_ACCESS, agentNeed, requireTalk } from './agent-access.ts'

/** What the agent server answers and OpenAPI cannot say, or the document leaves out. */
const BESIDE = [
  'GET /docs',
  'GET /docs/{file}',
  'GET /openapi.json',
  'GET /threads/{thread_id}/stream/events',
  'POST /mcp',
]

const operations = operationsOf(readDocument('agent-server'))

it('decides for every operation of the document, and for no other', () => {
  const all = [...operations.map(nameOf), ...BESIDE]
  expect(Object.keys(AGENT_ACCESS).toSorted()).toEqual(all.toSorted())
})

it('needs no role where the document asks for no key', () => {
  const open = operations.filter(({ operation }) => operation.security?.length === 0).map(nameOf)
  const found = Object.keys(AGENT_ACCESS).filter((one) => AGENT_ACCESS[one] === 'open')
  expect(found.toSorted()).toEqual(open.toSorted())
})

it('lets nothing that removes, replaces or changes pass as a look', () => {
  const changing = operations.filter(({ method }) => ['DELETE', 'PATCH', 'PUT'].includes(method))
  const looking = changing.map(nameOf).filter((one) => AGENT_ACCESS[one] !== 'talk')
  // It is refused to everybody, with a sentence of the protocol's own.
  expect(looking).toEqual(['DELETE /mcp/'])
})

test.each([
  ['GET', '/threads/t/state', 'look'],
  ['HEAD', '/threads/t', 'look'],
  ['POST', '/threads/search', 'look'],
  ['POST', '/threads/t/runs/wait', 'talk'],
  ['POST', '/threads/t/commands', 'message'],
  ['GET', '/ui/agent/style.css', 'open'],
  // A route of the project, a method that there is not, and a path that looks like another.
  ['GET', '/hello', 'talk'],
  ['PUT', '/threads/t', 'talk'],
  ['POST', '/threads/search/', 'talk'],
  ['GET', '/a2a/agent/xwell-known/agent-card.json', 'talk'],
] as const)('%s %s is to %s', (method, path, need) => {
  expect(agentNeed(method, path)).toBe(need)
})

test('only a role that looks is refused', () => {
  for (const role of ['admin', 'developer', 'agent', undefined] as const) {
    expect(() => requireTalk(role, 'POST /runs')).not.toThrow()
  }
  expect(() => requireTalk('viewer', 'POST /runs')).toThrow(
    'The role viewer only looks at agents, and POST /runs does more.',
  )
})
