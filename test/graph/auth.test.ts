import { join, resolve } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type AuthorizationEvent, matchesFilter } from '../../src/core/agent/authorization.ts'
import type { ProjectAuth } from '../../src/core/agent/host/auth.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { loadAuth } from '../../src/graph/js/auth/auth.ts'
import { installHooks } from '../../src/graph/js/modules/hooks.ts'

const PROJECT = resolve(import.meta.dirname, '../fixtures/projects/owned')

function load(file: string, exportName = 'auth'): Promise<ProjectAuth> {
  const path = `./${file}`
  const module = { language: 'javascript', path, file: resolve(PROJECT, file), exportName } as const
  return loadAuth({ ...module, isStudioAuthDisabled: false })
}

const user = { identity: 'me', display_name: 'me', is_authenticated: true, permissions: [] }
const ask = (auth: ProjectAuth, event: AuthorizationEvent, value: JsonObject = {}) =>
  auth.authorize({ user, permissions: [], event, value })
const someone = (name: string) =>
  new Request('http://x/threads', { headers: { authorization: `Bearer ${name}` } })

let auth: ProjectAuth
let precedence: ProjectAuth
let answers: ProjectAuth

beforeAll(async () => {
  await installHooks(join(PROJECT, 'langgraph.json'))
  auth = await load('auth.ts')
  precedence = await load('precedence.ts')
  answers = await load('precedence.ts', 'answers')
})

test('an identity alone is a whole user', async () => {
  expect(await auth.authenticate(someone('guest'))).toEqual({
    identity: 'guest',
    display_name: 'guest',
    is_authenticated: true,
    permissions: [],
  })
})

test('whatever else the project knows of a user stays', async () => {
  expect(await auth.authenticate(someone('alice'))).toEqual({
    identity: 'alice',
    display_name: 'alice',
    is_authenticated: true,
    permissions: ['ask'],
    token: 'the-token-of-alice',
  })
})

test('an exception of the SDK is a refusal with its status and headers', async () => {
  const refused = auth.authenticate(new Request('http://x/threads'))
  await expect(refused).rejects.toMatchObject({ status: 401, message: 'Who are you?' })
  await expect(auth.authenticate(someone('late'))).rejects.toMatchObject({ status: 402 })
})

test('any other error lets nobody in', async () => {
  const failed = auth.authenticate(someone('broken'))
  await expect(failed).rejects.toMatchObject({ code: 'internal' })
})

test.each<[AuthorizationEvent, string]>([
  [{ resource: 'threads', action: 'create' }, 'threads:create'],
  [{ resource: 'threads', action: 'read' }, 'threads'],
  [{ resource: 'assistants', action: 'read' }, 'threads'],
  [{ resource: 'assistants', action: 'create' }, '*:create'],
  [{ resource: 'store', action: 'get' }, '*'],
])('%o is decided by the handler that fits best (%s)', async (event, by) => {
  expect(await ask(precedence, event)).toEqual({ value: { by } })
})

const decide = async (action: 'create' | 'read' | 'update' | 'delete' | 'search' | 'create_run') =>
  (await ask(answers, { resource: 'threads', action })).filter

test('a handler may allow, narrow or forbid', async () => {
  expect(await decide('create')).toBeUndefined()
  expect(await decide('read')).toEqual({
    owner: 'me',
    team: { $eq: 'a' },
    tags: { $contains: ['x'] },
  })
  expect(await decide('update')).toEqual({ level: { $eq: 3 } })
  await expect(decide('create_run')).rejects.toMatchObject({ code: 'forbidden' })
})

test('what has no handler is allowed', async () => {
  const event = { resource: 'crons', action: 'create' } as const
  expect(await ask(answers, event, { a: 1 })).toEqual({ value: { a: 1 } })
})

test('a filter that is not understood lets nothing through', async () => {
  await expect(decide('delete')).rejects.toMatchObject({ code: 'internal' })
  await expect(decide('search')).rejects.toMatchObject({ code: 'internal' })
})

test('filters may be joined by $or and $and, if each of them is one', async () => {
  const decideOn = async (action: 'read' | 'create' | 'update' | 'delete' | 'search') =>
    (await ask(answers, { resource: 'assistants', action })).filter
  const filter = await decideOn('read')
  expect(filter).toEqual({ $or: [{ owner: 'me' }, { $and: [{ level: { $eq: 3 } }] }] })
  expect(matchesFilter({ owner: 'me' }, filter)).toBe(true)
  expect(matchesFilter({ owner: 'you', level: 3 }, filter)).toBe(true)
  expect(matchesFilter({ owner: 'you', level: 4 }, filter)).toBe(false)
  for (const action of ['create', 'update', 'delete', 'search'] as const) {
    await expect(decideOn(action)).rejects.toMatchObject({ code: 'internal' })
  }
})

test('what is no usable Auth is refused with the file and what to do', async () => {
  await expect(load('precedence.ts', 'other')).rejects.toThrow(/"other" of .*export a "new Auth/)
  await expect(load('precedence.ts', 'nobody')).rejects.toThrow(/call its authenticate\(\)/)
  await expect(load('precedence.ts', 'gone')).rejects.toThrow(/has no export "gone"; it exports/)
})
