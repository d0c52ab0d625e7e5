/** An agent server that has been used for a while, and all that can be seen of it: is it the same elsewhere? */
import type { Client } from '@langchain/langgraph-sdk'

const TURNS = 12

export interface AgentLife {
  /** A conversation with many messages. */
  talk: string
  /** It waits for an answer. */
  asking: string
}

/** `client`: of an agent server with the fixture project `echo`. */
export async function liveWith(client: Client): Promise<AgentLife> {
  const talk = await run(client, 'agent', 'hello')
  for (let turn = 1; turn < TURNS; turn += 1) await run(client, 'agent', `turn ${turn} ü 🙂`, talk)
  const { thread_id: asking } = await client.threads.create({ metadata: { desk: 'north' } })
  await client.runs.wait(asking, 'ask', { input: { question: 'Refund order 1038?' } })
  const { thread_id: failed } = await client.threads.create()
  await client.runs.join(failed, (await client.runs.create(failed, 'fail', { input: {} })).run_id)
  await client.runs.wait(await newThread(client), 'slow', { input: { label: 'stock', ms: 1 } })
  const { thread_id: forked } = await client.threads.copy(talk)
  await client.threads.updateState(forked, { values: { messages: [human('by hand')] } })
  // Due in years, so that it is not while a test looks.
  await client.crons.create('slow', { schedule: '0 7 29 2 *', input: { label: 'morning' } })
  const { assistant_id } = await client.assistants.create({ graphId: 'agent', name: 'Helper' })
  await client.assistants.update(assistant_id, { metadata: { team: 'ops' } })
  await client.store.putItem(['customers', 'ann'], 'likes', { food: 'Japanese', pi: 3.5, no: null })
  await client.store.putItem(['customers', 'ben'], 'likes', { seat: 'window' }, { ttl: 600 })
  return { talk, asking }
}

const human = (content: string) => ({ role: 'user', content })

async function newThread(client: Client): Promise<string> {
  return (await client.threads.create()).thread_id
}

async function run(client: Client, graph: string, text: string, known?: string): Promise<string> {
  const thread_id = known ?? (await newThread(client))
  await client.runs.wait(thread_id, graph, { input: { messages: [human(text)] } })
  return thread_id
}

/** Everything that its clients can see, in an order that does not change. */
export async function portraitOf(client: Client): Promise<unknown> {
  const threads = await client.threads.search({ limit: 1000, sortBy: 'thread_id' })
  const details = threads.map(async ({ thread_id }) => ({
    state: await client.threads.getState(thread_id),
    history: await client.threads.getHistory(thread_id, { limit: 1000 }),
    runs: await client.runs.list(thread_id, { limit: 1000 }),
  }))
  const assistants = await client.assistants.search({ limit: 1000, sortBy: 'assistant_id' })
  return {
    threads,
    details: await Promise.all(details),
    assistants,
    versions: await Promise.all(
      assistants.map(({ assistant_id }) => client.assistants.getVersions(assistant_id)),
    ),
    crons: await client.crons.search({ limit: 1000 }),
    items: await client.store.searchItems([], { limit: 1000, refreshTtl: false }),
  }
}

/** Both of its threads go on. */
export async function goOnWith(client: Client, { talk, asking }: AgentLife) {
  const input = { messages: [human('and now?')] }
  const { messages } = (await client.runs.wait(talk, 'agent', { input })) as { messages: unknown[] }
  const answered = await client.runs.wait(asking, 'ask', { command: { resume: 'yes' } })
  return { messages: messages.length, answered }
}

/** What `goOnWith` answers when nothing was lost. */
export const GONE_ON = {
  messages: 2 * TURNS + 2,
  answered: { question: 'Refund order 1038?', answer: 'yes', steps: ['prepare', 'ask'] },
}
