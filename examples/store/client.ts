/** Tells an assistant something, and asks for it in other threads: `node client.ts [address]`. */
import { Client } from '@langchain/langgraph-sdk'

const client = new Client({ apiUrl: process.argv[2] ?? 'http://127.0.0.1:2024', apiKey: null })

/** Every run is on a thread of its own. */
async function say(input: object): Promise<void> {
  const { answer } = (await client.runs.wait(null, 'assistant', { input })) as { answer?: string }
  console.log(answer)
}

await say({ user: 'ann', remember: 'Ann likes pasta with mushrooms best of all food.' })
await say({ user: 'ann', remember: 'Her train to work leaves at seven in the morning.' })
await say({ user: 'ann', question: 'Which food does she like?' })
await say({ user: 'ann', question: 'When does the train leave?' })
await say({ user: 'bob', question: 'Which food does she like?' })

const { items } = await client.store.searchItems(['memories', 'ann'], { query: 'mushrooms' })
for (const { value, score = 0 } of items) console.log(score.toFixed(2), value.text)

await Promise.all(items.map(({ namespace, key }) => client.store.deleteItem(namespace, key)))
