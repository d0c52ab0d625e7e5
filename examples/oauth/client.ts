/** Ann asks who she is at the provider, and gives her consent on the way: `node client.ts [address]`. */
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from '@langchain/langgraph-sdk'

const apiUrl = process.argv[2] ?? 'http://127.0.0.1:2024'
const defaultHeaders = { authorization: 'Bearer token-of-ann' }
const client = new Client({ apiUrl, apiKey: null, defaultHeaders })

const { thread_id } = await client.threads.create()
const run = async (payload: object) => {
  await client.runs.wait(thread_id, 'account', payload)
  return client.threads.getState<{ login?: string }>(thread_id)
}

let state = await run({ input: {} })
const [question] = state.tasks.flatMap((task) => task.interrupts)
if (question) {
  const { message, auth_url } = question.value as { message: string; auth_url: string }
  console.log('the agent asks:', message)
  console.error(`Open ${auth_url}`)
}
while (state.next.length > 0) {
  await delay(500)
  state = await run({ command: { resume: true } })
}
console.log('Ann is', state.values.login)
console.log('asked again, Ann is', (await run({ input: {} })).values.login)

await client.threads.delete(thread_id)
