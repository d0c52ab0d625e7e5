import { expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(() => startAgentServer({ projectName: 'runs' }))

async function createThread(): Promise<string> {
  return (await server.client.threads.create()).thread_id
}

/** The trail that a command on a fresh thread of `hub` leaves. */
async function trailOf(command: object): Promise<string[]> {
  const thread_id = await createThread()
  await server.client.runs.wait(thread_id, 'hub', { input: {} })
  const values = await server.client.runs.wait(thread_id, 'hub', { command })
  return (values as { trail: string[] }).trail.slice(1)
}

test('goto: a node by its name, or several', async () => {
  expect(await trailOf({ goto: 'left' })).toEqual(['left:'])
  expect((await trailOf({ goto: ['left', 'right'] })).toSorted()).toEqual(['left:', 'right:'])
})

test('goto: a node with an input of its own, or several, also of one node', async () => {
  const send = (node: string, word: string) => ({ node, input: { word } })
  expect(await trailOf({ goto: send('left', 'a') })).toEqual(['left:a'])
  const several = { goto: [send('left', 'a'), send('left', 'b'), 'right'] }
  expect((await trailOf(several)).toSorted()).toEqual(['left:a', 'left:b', 'right:'])
})

test('update: by key or as pairs, before the graph goes on', async () => {
  expect(await trailOf({ update: { word: 'x' }, goto: 'left' })).toEqual(['left:x'])
  expect(await trailOf({ update: [['word', 'y']], goto: 'left' })).toEqual(['left:y'])
})

test('several questions are answered by the ids of their interrupts', async () => {
  const { client } = server
  const thread_id = await createThread()
  await client.runs.wait(thread_id, 'pair', { input: {} })
  const { interrupts } = (await client.threads.getState(thread_id)) as unknown as {
    interrupts: { id: string; value: string }[]
  }
  expect(interrupts).toHaveLength(2)
  const resume = Object.fromEntries(interrupts.map(({ id, value }) => [id, `answer to ${value}`]))
  const values = await client.runs.wait(thread_id, 'pair', { command: { resume } })
  expect(values).toEqual({ first: 'answer to one?', second: 'answer to two?' })
})

test('one answer at a time leaves the other question open', async () => {
  const { client } = server
  const thread_id = await createThread()
  const asked = (await client.runs.wait(thread_id, 'pair', { input: {} })) as unknown as {
    __interrupt__: { id: string; value: string }[]
  }
  const answer = (question: string, text: string) => {
    const id = asked.__interrupt__.find(({ value }) => value === question)?.id ?? ''
    return client.runs.wait(thread_id, 'pair', { command: { resume: { [id]: text } } })
  }
  expect(await answer('two?', 'b')).toMatchObject({ second: 'b' })
  expect(await client.threads.get(thread_id)).toMatchObject({ status: 'interrupted' })
  expect(await answer('one?', 'a')).toEqual({ first: 'a', second: 'b' })
  expect(await client.threads.get(thread_id)).toMatchObject({ status: 'idle' })
})

test('a command goes before an input that comes with it', async () => {
  const { client } = server
  const thread_id = await createThread()
  await client.runs.wait(thread_id, 'hub', { input: {} })
  const both = { input: { trail: ['never'] }, command: { goto: 'right' } }
  expect(await client.runs.wait(thread_id, 'hub', both)).toMatchObject({
    trail: ['stop', 'right:'],
  })
})

test('a run without input from an earlier checkpoint plays on from there', async () => {
  const { client } = server
  const thread_id = await createThread()
  await client.runs.wait(thread_id, 'steps', { input: {} })
  const history = await client.threads.getHistory<{ trail: string[] }>(thread_id, { limit: 100 })
  const afterA = history.find(({ next }) => next[0] === 'b')
  const checkpoint = afterA?.checkpoint ?? expect.fail('no such checkpoint')
  const values = await client.runs.wait(thread_id, 'steps', { checkpoint })
  expect(values).toEqual({ trail: ['a', 'b', 'c'] })
  const { parent_checkpoint } = await client.threads.getState(thread_id)
  expect(history.map((state) => state.checkpoint.checkpoint_id)).not.toContain(
    parent_checkpoint?.checkpoint_id,
  )
})

test('a map of checkpoints names the place as well; an empty checkpoint names none', async () => {
  const { client } = server
  const thread_id = await createThread()
  await client.runs.wait(thread_id, 'steps', { input: { trail: ['old'] } })
  const { checkpoint } = await client.threads.getState(thread_id)
  await client.runs.wait(thread_id, 'steps', { input: {} })
  const run = (place: object) =>
    fetch(`${server.url}/threads/${thread_id}/runs/wait`, {
      method: 'POST',
      body: JSON.stringify({ assistant_id: 'steps', input: { trail: ['new'] }, checkpoint: place }),
    }).then((answer) => answer.json())
  const forked = await run({ checkpoint_map: { '': checkpoint.checkpoint_id } })
  expect(forked).toEqual({ trail: ['old', 'a', 'b', 'c', 'new', 'a', 'b', 'c'] })
  const continued = (await run({ checkpoint_ns: '' })) as { trail: string[] }
  expect(continued.trail).toHaveLength(12)
})

test('a checkpoint of another thread is not found', async () => {
  const { client } = server
  const [mine, other] = [await createThread(), await createThread()]
  await client.runs.wait(other, 'steps', { input: {} })
  const { checkpoint } = await client.threads.getState(other)
  const refused = client.runs.create(mine, 'steps', { input: {}, checkpoint })
  await expect(refused).rejects.toThrow(/HTTP 404: .*no checkpoint/)
  expect(await client.runs.list(mine)).toEqual([])
})

test('a command that the graph cannot follow fails the run, not the server', async () => {
  const { client } = server
  const thread_id = await createThread()
  const values = await client.runs.wait(thread_id, 'hub', { command: {}, raiseError: false })
  expect(values).toHaveProperty('__error__')
})
