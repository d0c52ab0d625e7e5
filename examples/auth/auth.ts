import { Auth, HTTPException } from '@langchain/langgraph-sdk/auth'

/** In place of an identity provider: who has which token, and may do what. */
const PEOPLE: Record<string, { identity: string; permissions: string[] }> = {
  'token-of-ann': { identity: 'ann', permissions: ['write'] },
  'token-of-bob': { identity: 'bob', permissions: ['write'] },
  'token-of-eve': { identity: 'eve', permissions: [] },
}

export const auth = new Auth()
  .authenticate((request: Request) => {
    const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '') ?? []
    const person = PEOPLE[token]
    if (person) return person
    throw new HTTPException(401, { message: 'Send a token that is known.' })
  })
  // Whoever makes something owns it, and sees nothing else.
  .on('*', ({ user, value, action }) => {
    const owner = { owner: user.identity }
    if (action === 'create' || action === 'create_run') {
      const made = value as { metadata?: Record<string, unknown> }
      made.metadata = { ...made.metadata, ...owner }
    }
    return owner
  })
  // Goes before the one above: it fits better.
  .on('threads:create_run', ({ user, permissions, value }) => {
    if (!permissions.includes('write')) return false
    value.metadata = { ...value.metadata, owner: user.identity }
    return { owner: user.identity }
  })
  // In the store everyone has a namespace of their own; items have no metadata that could say so.
  .on('store', ({ user, value }) => {
    value.namespace = [user.identity, ...(value.namespace ?? [])]
  })
