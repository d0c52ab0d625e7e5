/** Calls a project's own routes and the API beside them: `node client.ts [address]`. */
import { Client } from '@langchain/langgraph-sdk'

const apiUrl = process.argv[2] ?? 'http://127.0.0.1:2024'

const haiku = await fetch(`${apiUrl}/haiku/one%20green%20leaf`)
console.log(await haiku.text())

const body = new URLSearchParams({ stars: '5' })
console.log(await (await fetch(`${apiUrl}/feedback`, { method: 'POST', body })).json())

const client = new Client({ apiUrl, apiKey: null, defaultHeaders: { 'x-season': 'spring' } })
const run = await client.runs.wait(null, 'haiku', { input: { about: 'a paper kite' } })
console.log((run as { lines?: string[] }).lines)

const response = await fetch(`${apiUrl}/runs/stream`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', origin: 'https://app.example.com' },
  body: JSON.stringify({ assistant_id: 'haiku', input: { about: 'the last train' } }),
})
console.log('a stream with', response.headers.get('server-timing')?.split(';')[0])
console.log('for', response.headers.get('access-control-allow-origin'))
await response.text()
