import { Annotation, type LangGraphRunnableConfig, START, StateGraph } from '@langchain/langgraph'
import { tokenOf } from './token-of.ts'

const {
  PROVIDER = 'github',
  SCOPES = 'read:user',
  USER_URL = 'https://api.github.com/user',
} = process.env

const Account = Annotation.Root({ login: Annotation<string> })

/** Looks up who the run's user is at the provider, with the token that they have given. */
export const graph = new StateGraph(Account)
  .addNode('look', async (_, config: LangGraphRunnableConfig) => {
    const token = await tokenOf(PROVIDER, SCOPES.split(' '), config)
    const response = await fetch(USER_URL, { headers: { authorization: `Bearer ${token}` } })
    if (!response.ok) throw new Error(`${USER_URL} answers ${response.status}.`)
    const { login, sub } = (await response.json()) as { login?: string; sub?: string }
    return { login: login ?? sub }
  })
  .addEdge(START, 'look')
  .compile()
