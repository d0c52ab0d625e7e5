import { interrupt, type LangGraphRunnableConfig } from '@langchain/langgraph'

interface Answer {
  status: 'completed' | 'pending' | 'token_expired' | 'connection_required'
  token?: string
  url?: string
}

/**
 * The token that the run's own user has given for this provider. Where there is none, the run stops
 * with the link that the user has to open; resumed, it asks again.
 */
export async function tokenOf(
  provider: string,
  scopes: string[],
  { configurable = {} }: LangGraphRunnableConfig,
): Promise<string> {
  // Who asks is what the server has found out of the request, and nothing that the request could say.
  const user_id: unknown = configurable.langgraph_auth_user_id
  if (typeof user_id !== 'string' || user_id === '')
    throw new Error('Nobody knows whose run this is.')
  for (;;) {
    const { status, token, url } = await ask({ provider, scopes, user_id })
    if (status === 'completed' && token) return token
    interrupt({ message: `Give access to ${provider}.`, auth_url: url, provider, scopes })
  }
}

/** The server sets the variable, and adds its key to what is sent there. */
async function ask(question: object): Promise<Answer> {
  const response = await fetch(`${process.env.RUNYARD_URL}/v2/auth/authenticate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
  })
  if (!response.ok) throw new Error(`The control plane answers ${response.status}.`)
  return (await response.json()) as Answer
}
