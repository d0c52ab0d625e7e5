/**
 * Asks for a report every minute, and is told of the first by a webhook: `node client.ts [address]`.
 * Whoever receives webhooks checks their signatures too: docs/webhooks.md shows how.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { Client, type Cron } from '@langchain/langgraph-sdk'

const client = new Client({ apiUrl: process.argv[2] ?? 'http://127.0.0.1:2024', apiKey: null })

interface Delivery {
  status: string
  metadata: { cron_id: string }
  values: { report: string }
}

const { promise: delivered, resolve } = Promise.withResolvers<Delivery>()
const receiver = createServer(async (request, response) => {
  resolve((await json(request)) as Delivery)
  response.end()
}).listen(0, '127.0.0.1')
await once(receiver, 'listening')
const { port } = receiver.address() as AddressInfo

const made = await client.crons.create('report', {
  schedule: '* * * * *',
  timezone: 'Europe/Berlin',
  input: { shop: 'Books' },
  webhook: `http://127.0.0.1:${port}/reports`,
})
const { cron_id, schedule } = made as unknown as Cron
console.log(`made a cron: ${schedule}`)

const { status, metadata, values } = await delivered
console.log(`a run of ${metadata.cron_id === cron_id ? 'it' : 'another'} ended: ${status}`)
console.log(values.report)

await client.crons.delete(cron_id)
console.log(`${await client.crons.count({ metadata: {} })} crons are left`)
receiver.close()
receiver.closeAllConnections()
