import { expect, test } from 'vitest'
import type { Caller } from '../../core/agent/authorization.ts'
import type { AuthQuestion, ProjectAuth } from '../../core/agent/host/auth.ts'
import { authorizeBy } from './project-auth.ts'

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
