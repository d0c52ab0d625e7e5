import { expect, it, test } from 'vitest'
import type { Caller } from '../../core/agent/authorization.ts'
import type { AuthQuestion, ProjectAuth } from '../../core/agent/host/auth.ts'
import { AppError } from '../../core/errors.ts'
import { authorizeBy, withAuthCache } from './project-auth.ts'

const event = { resource: 'threads', action: 'create' } as const
const user = { identity: 'me', display_name: 'me', is_authenticated: true, permissions: ['ask'] }
const caller: Caller = { identity: 'me', permissions: ['ask'], headers: {}, user }

/** Its host is in another process: the value that comes back is a copy. */
const auth: ProjectAuth = {
  isStudioAuthDisabled: false,
  authenticate: async () => user,
  authorize: async ({ value: { secret: _, ...value }, ...question }: AuthQuestion) => ({
    filter: { owner: question.user.identity },
    value: { ...value, metadata: { owner: question.user.identity, may: question.permissions } },
  }),
}

test('what is done is what the answer holds, and nothing else', async () => {
  const value = { thread_id: 't', metadata: {}, secret: 1 }
  expect(await authorizeBy(auth)(caller, event, value)).toEqual({ owner: 'me' })
  expect(value).toEqual({ thread_id: 't', metadata: { owner: 'me', may: ['ask'] } })
})

test('what nobody asked for is allowed to nobody', async () => {
  const { user: _, ...stranger } = caller
  const asked = authorizeBy(auth)(stranger, event, {})
  await expect(asked).rejects.toMatchObject({ code: 'forbidden' })
})

test('what the project does for itself is allowed, as it is', async () => {
  const { user: _, ...stranger } = caller
  const value = { thread_id: 't', secret: 1 }
  const project = { ...stranger, isProject: true }
  expect(await authorizeBy(auth)(project, event, value)).toBeUndefined()
  expect(value).toEqual({ thread_id: 't', secret: 1 })
})

const MINUTE = 60_000

/** An auth that notes whom it was asked about, and a clock that the test moves. */
function world(maxSize = 10) {
  const asked: string[] = []
  let now = 0
  const auth: ProjectAuth = {
    isStudioAuthDisabled: true,
    async authenticate({ headers }) {
      const identity = headers.get('authorization') ?? 'nobody'
      asked.push(identity)
      if (identity === 'wrong') throw new AppError('unauthenticated', 'No.')
      return { identity, display_name: identity, is_authenticated: true, permissions: [] }
    },
    authorize: async ({ value }) => ({ value }),
  }
  const config = { keys: ['authorization', 'x-team'], ttlMs: MINUTE, maxSize }
  const cached = withAuthCache(auth, config, { now: () => now })
  const ask = async (headers: Record<string, string>, path = '/threads') =>
    (await cached.authenticate(new Request(`http://test${path}`, { headers }))).identity
  return { asked, ask, cached, wait: (ms: number) => (now += ms) }
}

it('is asked once about the same headers, until the time is up', async () => {
  const { asked, ask, wait } = world()
  expect(await ask({ authorization: 'ann', accept: 'a' })).toBe('ann')
  expect(await ask({ Authorization: 'ann', accept: 'b' }, '/runs')).toBe('ann')
  expect(asked).toEqual(['ann'])
  wait(MINUTE)
  await ask({ authorization: 'ann' })
  expect(asked).toEqual(['ann', 'ann'])
})

it('is asked about each value of each header that is named', async () => {
  const { asked, ask } = world()
  for (const team of ['a', 'b', 'a']) await ask({ authorization: 'ann', 'x-team': team })
  await ask({ authorization: 'ben' })
  expect(asked).toEqual(['ann', 'ann', 'ben'])
})

it('is always asked where none of the headers was sent, and again after a refusal', async () => {
  const { asked, ask } = world()
  await ask({})
  await ask({})
  for (let i = 0; i < 2; i++) await expect(ask({ authorization: 'wrong' })).rejects.toThrow('No.')
  expect(asked).toEqual(['nobody', 'nobody', 'wrong', 'wrong'])
})

it('forgets the one that was not used for longest when it is full', async () => {
  const { asked, ask } = world(2)
  for (const one of ['a', 'b', 'a', 'c', 'a', 'b']) await ask({ authorization: one })
  expect(asked).toEqual(['a', 'b', 'c', 'b'])
})

it('leaves everything else to the auth', async () => {
  const { cached } = world()
  expect(cached.isStudioAuthDisabled).toBe(true)
  expect(cached).not.toHaveProperty('wantsBody')
})
