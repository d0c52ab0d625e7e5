/**
 * What the auth of a project must do behind every graph host. The project recognises `Bearer NAME`: `guest`
 * by the name alone, others with the permission `ask` and a token. It says itself that `ghost` is not
 * authenticated, throws for `broken`, and refuses with 401 who has no name. Of threads it allows `create`
 * to everyone for themselves, `search` with the permission; never `delete`; for `update` it wants to be paid.
 * Its handler for assistants answers what is no filter; for all else there is none.
 */
import { describe, expect, it } from 'vitest'
import type { AuthorizationEvent } from '../../../src/core/agent/authorization.ts'
import type { ProjectAuth } from '../../../src/core/agent/host/auth.ts'
import type { JsonObject } from '../../../src/core/json.ts'

const known = (identity: string) => ({
  identity,
  display_name: identity,
  is_authenticated: true,
  permissions: [],
})

export function testProjectAuth(open: () => ProjectAuth): void {
  const authenticate = (authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization }
    return open().authenticate(new Request('http://localhost/threads', { headers }))
  }
  const ask = (event: AuthorizationEvent, value: JsonObject = {}, permissions: string[] = []) =>
    open().authorize({ user: known('me'), permissions, event, value })

  describe('the auth of a project', () => {
    it('says who sent a request, with whatever else it knows', async () => {
      expect(await authenticate('Bearer guest')).toEqual(known('guest'))
      expect(await authenticate('Bearer alice')).toEqual({
        ...known('alice'),
        permissions: ['ask'],
        token: 'the-token-of-alice',
      })
    })

    it('refuses with the status and the headers that it chose', async () => {
      const refusal = await authenticate().catch((error: unknown) => error)
      expect(refusal).toMatchObject({ status: 401, message: 'Who are you?' })
      expect((refusal as { headers: Headers }).headers.get('www-authenticate')).toBe('Bearer')
    })

    it('lets in nobody who is not authenticated, and nobody when it fails', async () => {
      await expect(authenticate('Bearer ghost')).rejects.toMatchObject({ code: 'unauthenticated' })
      await expect(authenticate('Bearer broken')).rejects.toMatchObject({ code: 'internal' })
    })

    it('narrows what is seen, and changes what is written', async () => {
      const value = { thread_id: 't', metadata: { a: 1 }, if_exists: 'raise' }
      expect(await ask({ resource: 'threads', action: 'create' }, value)).toEqual({
        filter: { owner: 'me' },
        value: { thread_id: 't', metadata: { a: 1, owner: 'me' } },
      })
    })

    it('allows and forbids, by permissions too', async () => {
      const search = { resource: 'threads', action: 'search' } as const
      expect(await ask(search, { limit: 1 }, ['ask'])).toEqual({ value: { limit: 1 } })
      await expect(ask(search)).rejects.toMatchObject({ code: 'forbidden' })
      const remove = ask({ resource: 'threads', action: 'delete' })
      await expect(remove).rejects.toMatchObject({ code: 'forbidden' })
      const update = ask({ resource: 'threads', action: 'update' })
      await expect(update).rejects.toMatchObject({ status: 402, message: 'Pay first.' })
    })

    it('allows what it has no handler for', async () => {
      expect(await ask({ resource: 'crons', action: 'create' }, { a: 1 })).toEqual({
        value: { a: 1 },
      })
    })

    it('lets nothing through a filter that is none', async () => {
      const read = ask({ resource: 'assistants', action: 'read' })
      await expect(read).rejects.toMatchObject({ code: 'internal' })
    })
  })
}
