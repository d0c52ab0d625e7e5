import { expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'

/** Its graphs are made for each call; `greeter` greets as `configurable.greeting` says. */
const server = forAllTests(() => startAgentServer({ projectName: 'factory' }))

const as = (greeting: string) => ({ config: { configurable: { greeting } } })

test('a graph that is made for each run shows and takes its state', async () => {
  const { threads, runs } = server.client
  const { thread_id } = await threads.create()
  await runs.wait(thread_id, 'greeter', { input: { text: 'ada' }, ...as('good day') })
  await threads.updateState(thread_id, { values: { text: 'changed' } })
  expect((await threads.getState(thread_id)).values).toEqual({ text: 'changed' })
  const history = await threads.getHistory<{ text: string }>(thread_id)
  expect(history.map(({ values }) => values.text)).toEqual([
    'changed',
    'good day ada',
    'ada',
    undefined,
  ])
})

test('updates that come at once follow each other', async () => {
  const { threads, runs } = server.client
  const { thread_id } = await threads.create()
  await runs.wait(thread_id, 'greeter', { input: { text: 'ada' }, ...as('slowly') })
  const texts = ['a', 'b', 'c', 'd']
  await Promise.all(texts.map((text) => threads.updateState(thread_id, { values: { text } })))
  const history = await threads.getHistory<{ text: string }>(thread_id)
  expect(history).toHaveLength(3 + texts.length)
  expect(
    history
      .slice(0, 4)
      .map(({ values }) => values.text)
      .toSorted(),
  ).toEqual(texts)
  for (const [i, { checkpoint }] of history.slice(1).entries()) {
    expect(history[i]?.parent_checkpoint).toEqual(checkpoint)
  }
  expect(await threads.getState(thread_id)).toEqual(history[0])
})

test('a graph that cannot be made is a refusal that says why', async () => {
  const { threads, runs } = server.client
  const { thread_id } = await threads.create()
  await runs.wait(thread_id, 'greeter', { input: { text: 'ada' } })
  const options = { input: { text: 'bob' }, raiseError: false, ...as('rudely') }
  await runs.wait(thread_id, 'greeter', options)
  await expect(threads.getHistory(thread_id)).rejects.toThrow(/HTTP 400: .*no such greeting/)
  expect((await threads.getState(thread_id)).values).toEqual({ text: 'hello ada' })
})
