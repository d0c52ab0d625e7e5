import { Auth, HTTPException } from '@langchain/langgraph-sdk/auth'

/** In place of an identity provider: who has which token. */
const PEOPLE: Record<string, string> = { 'token-of-ann': 'ann', 'token-of-bob': 'bob' }

export const auth = new Auth()
  .authenticate((request: Request) => {
    const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '') ?? []
    const identity = PEOPLE[token]
    if (identity) return { identity, permissions: [] }
    throw new HTTPException(401, { message: 'Send a token that is known.' })
  })
  // A link that is shown in a thread is for the thread's owner alone.
  .on('*', ({ user, value, action }) => {
    const owner = { owner: user.identity }
    if (action === 'create' || action === 'create_run') {
      const made = value as { metadata?: Record<string, unknown> }
      made.metadata = { ...made.metadata, ...owner }
    }
    return owner
  })
