/** Two people keep a diary each, and look for the other's: `node client.ts [address]`. */
import { Client } from '@langchain/langgraph-sdk'

const apiUrl = process.argv[2] ?? 'http://127.0.0.1:2024'
const clientOf = (name: string) => {
  const defaultHeaders = { authorization: `Bearer token-of-${name}` }
  return new Client({ apiUrl, apiKey: null, defaultHeaders })
}
const [ann, bob, eve] = [clientOf('ann'), clientOf('bob'), clientOf('eve')]

/** What a request is refused with: `HTTP <status>: <body>`. */
async function refusal(request: Promise<unknown>): Promise<string> {
  return request.then(
    () => 'nothing was refused',
    (error: Error) => error.message,
  )
}

const { thread_id } = await ann.threads.create()
const input = { entry: 'saw a heron' }
const { pages } = (await ann.runs.wait(thread_id, 'diary', { input })) as { pages?: string[] }
console.log('Ann reads', pages)
console.log('Ann finds', (await ann.threads.search()).length, 'thread')
console.log('Bob finds', (await bob.threads.search()).length)
console.log('Bob asks: ', (await refusal(bob.threads.getState(thread_id))).split(':')[0])
console.log('Eve writes:', await refusal(eve.runs.wait(null, 'diary', { input })))
console.log('a stranger:', await refusal(clientOf('nobody').threads.search()))

await ann.threads.delete(thread_id)
