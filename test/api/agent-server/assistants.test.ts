import { randomUUID } from 'node:crypto'
import type { Assistant } from '@langchain/langgraph-sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { AssistantSchema } from '../../../src/agent-server/assistants/assistant-schemas.ts'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let assistants: RunningAgentServer['client']['assistants']

const server = forAllTests(startAgentServer)
beforeAll(async () => {
  assistants = server.client.assistants
})

const aRequest = {
  graphId: 'agent',
  name: 'Support',
  description: 'Answers customers',
  config: { tags: ['t'], recursion_limit: 7, configurable: { model: 'small' } },
  context: { tone: 'kind' },
  metadata: { team: 'a', nested: { n: 1 } },
}

describe('creating an assistant', () => {
  it('answers it with all that was given, and its first version', async () => {
    const assistantId = randomUUID()
    const created = await assistants.create({ ...aRequest, assistantId })
    expect(AssistantSchema.parse(created)).toEqual(created)
    expect(created).toEqual({
      assistant_id: assistantId,
      graph_id: 'agent',
      name: 'Support',
      description: 'Answers customers',
      config: aRequest.config,
      context: aRequest.context,
      metadata: aRequest.metadata,
      version: 1,
      created_at: expect.any(String),
      updated_at: created.created_at,
    })
    expect(await assistants.get(assistantId)).toEqual(created)
    expect(await assistants.getVersions(assistantId)).toEqual([created])
  })

  it('fills in what was not given, or given as null', async () => {
    const defaults = { name: 'Untitled', description: null, config: {}, context: {}, metadata: {} }
    expect(await assistants.create({ graphId: 'agent' })).toMatchObject(defaults)
    const nothing = { config: null, context: null, metadata: null, name: null, description: null }
    const { body } = await post('/assistants', { graph_id: 'agent', ...nothing, if_exists: null })
    expect(body).toMatchObject(defaults)
  })

  it('refuses an id that is taken, unless the assistant that is there will do', async () => {
    const { assistant_id: assistantId } = await assistants.create(aRequest)
    const again = { graphId: 'slow', assistantId, name: 'Other' }
    await expect(assistants.create(again)).rejects.toThrow(/^HTTP 409: .*already exists/)
    const same = await assistants.create({ ...again, ifExists: 'do_nothing' })
    expect(same).toMatchObject({ graph_id: 'agent', name: 'Support', version: 1 })
  })

  it('refuses a graph that the project does not have, and says which it has', async () => {
    await expect(assistants.create({ graphId: 'none' })).rejects.toThrow(
      /^HTTP 404: .*no graph \\"none\\".*\\"agent\\"/,
    )
  })

  it.each([
    ['no graph', {}, ['body', 'graph_id']],
    ['an id that is none', { graph_id: 'agent', assistant_id: 'x' }, ['body', 'assistant_id']],
    ['a config that is none', { graph_id: 'agent', config: [] }, ['body', 'config']],
    [
      'a limit of no steps',
      { graph_id: 'agent', config: { recursion_limit: 0 } },
      ['body', 'config', 'recursion_limit'],
    ],
    ['metadata that is none', { graph_id: 'agent', metadata: 'x' }, ['body', 'metadata']],
    ['an unknown word', { graph_id: 'agent', if_exists: 'replace' }, ['body', 'if_exists']],
  ])('refuses %s', async (_what, request, loc) => {
    const { status, body } = await post('/assistants', request)
    expect(status).toBe(422)
    expect(body.detail[0]).toMatchObject({ loc })
  })
})

describe('a run', () => {
  it('has its assistant as it is stored, however often that was used before', async () => {
    const { runs } = server.client
    const withModel = (model: string) => ({ config: { configurable: { model } } })
    const { assistant_id } = await assistants.create({ graphId: 'agent', ...withModel('first') })
    const payload = { input: { messages: [] }, assistantId: assistant_id }
    const modelOf = ({ kwargs }: object & { kwargs?: unknown }) =>
      (kwargs as { config: { configurable: { model: string } } }).config.configurable.model
    const models = async () => {
      const created = [
        await runs.create(null, assistant_id, payload),
        await runs.create(null, assistant_id, payload),
        ...(await runs.createBatch([payload, payload])),
      ]
      return created.map(modelOf)
    }
    expect(await models()).toEqual(Array(4).fill('first'))
    await assistants.update(assistant_id, withModel('second'))
    expect(await models()).toEqual(Array(4).fill('second'))
    await assistants.update(assistant_id, withModel('third'))
    expect((await runs.createBatch([payload, payload])).map(modelOf)).toEqual(['third', 'third'])
    await assistants.delete(assistant_id)
    await expect(runs.create(null, assistant_id, payload)).rejects.toThrow(
      /^HTTP 404: .*No assistant/,
    )
    await expect(runs.createBatch([payload])).rejects.toThrow('HTTP 404')
  })
})

describe('an assistant', () => {
  it('is found by its id in any case, a graph’s own one by the name of the graph too', async () => {
    const { assistant_id } = await assistants.create(aRequest)
    expect(await assistants.get(assistant_id.toUpperCase())).toMatchObject({ assistant_id })
    const own = await assistants.get('ask')
    expect(own).toMatchObject({
      name: 'ask',
      graph_id: 'ask',
      description: 'Asks before it goes on',
      metadata: { created_by: 'system' },
      version: 1,
    })
    expect(await assistants.get(own.assistant_id)).toEqual(own)
  })

  it.each([randomUUID(), 'none', '%00', '../x'])('that is not there (%s) is 404', async (id) => {
    await expect(assistants.get(id)).rejects.toThrow('HTTP 404')
    await expect(assistants.update(id, { name: 'x' })).rejects.toThrow('HTTP 404')
    await expect(assistants.delete(id)).rejects.toThrow('HTTP 404')
    await expect(assistants.getVersions(id)).rejects.toThrow('HTTP 404')
    await expect(assistants.setLatest(id, 1)).rejects.toThrow('HTTP 404')
  })

  it('gives its config, context and metadata to a run', async () => {
    const { assistant_id } = await assistants.create(aRequest)
    const { thread_id } = await server.client.threads.create()
    const run = await server.client.runs.create(thread_id, assistant_id, {
      input: { messages: [{ role: 'human', content: 'hi' }] },
    })
    expect(run).toMatchObject({
      assistant_id,
      metadata: { team: 'a' },
      kwargs: { config: { tags: ['t'], recursion_limit: 7, configurable: { model: 'small' } } },
    })
    await server.client.runs.join(thread_id, run.run_id)
  })
})

describe('changing an assistant', () => {
  it('makes a new version, merges metadata, and keeps what was not named', async () => {
    const created = await assistants.create(aRequest)
    const { assistant_id } = created
    const changed = await assistants.update(assistant_id, {
      graphId: 'slow',
      name: 'Renamed',
      context: {},
      metadata: { nested: { m: 2 }, more: true },
    })
    expect(changed).toEqual({
      ...created,
      graph_id: 'slow',
      name: 'Renamed',
      context: {},
      metadata: { team: 'a', nested: { m: 2 }, more: true },
      version: 2,
      updated_at: expect.any(String),
    })
    expect(await assistants.get(assistant_id)).toEqual(changed)
  })

  it('makes a version where nothing changes too, and can be asked to empty the description', async () => {
    const created = await assistants.create(aRequest)
    const { assistant_id, name, config, metadata, context } = created
    const later = { ...created, updated_at: expect.any(String) }
    expect(await assistants.update(assistant_id, {} as never)).toEqual({ ...later, version: 2 })
    const request = { name, config, metadata, context, graphId: 'agent' }
    expect(
      await assistants.update(assistant_id, { ...request, description: null as never }),
    ).toEqual({ ...later, description: null, version: 3 })
    expect(await assistants.getVersions(assistant_id)).toHaveLength(3)
  })

  it('refuses a graph that the project does not have, and fields of another kind', async () => {
    const { assistant_id } = await assistants.create(aRequest)
    await expect(assistants.update(assistant_id, { graphId: 'none' })).rejects.toThrow('HTTP 404')
    const { status } = await send('PATCH', `/assistants/${assistant_id}`, { context: [] })
    expect(status).toBe(422)
    expect((await assistants.get(assistant_id)).version).toBe(1)
  })
})

describe('versions', () => {
  const three = async (): Promise<Assistant> => {
    const { assistant_id } = await assistants.create({ graphId: 'agent', name: 'one' })
    await assistants.update(assistant_id, { name: 'two', metadata: { stage: 'test' } })
    return assistants.update(assistant_id, { name: 'three', graphId: 'slow' })
  }

  it('are listed newest first, page by page and by metadata', async () => {
    const { assistant_id, metadata } = await three()
    const list = async (page?: object) =>
      (await assistants.getVersions(assistant_id, page)).map(({ name }) => name)
    expect(await list()).toEqual(['three', 'two', 'one'])
    expect(await list({ limit: 1, offset: 1 })).toEqual(['two'])
    expect(await list({ metadata: { stage: 'test' } })).toEqual(['three', 'two'])
    const [newest] = await assistants.getVersions(assistant_id, { limit: 1 })
    expect(newest).toMatchObject({ assistant_id, version: 3, graph_id: 'slow', metadata })
  })

  it('can be put in force again; the next change goes on from there', async () => {
    const { assistant_id, created_at } = await three()
    const back = await assistants.setLatest(assistant_id, 1)
    expect(back).toMatchObject({ name: 'one', graph_id: 'agent', metadata: {}, version: 1 })
    expect(back.created_at).toBe(created_at)
    expect(await assistants.get(assistant_id)).toEqual(back)
    expect(await assistants.update(assistant_id, { metadata: { a: 1 } })).toMatchObject({
      name: 'one',
      metadata: { a: 1 },
      version: 4,
    })
  })

  it('are named in the body or in the query', async () => {
    const { assistant_id } = await three()
    const path = `/assistants/${assistant_id}/latest`
    expect((await send('POST', `${path}?version=2`)).body).toMatchObject({ version: 2 })
    expect((await post(path, { version: 1 })).body).toMatchObject({ version: 1 })
    expect((await post(path, {})).body.detail[0]).toMatchObject({
      loc: ['body', 'version'],
      type: 'missing',
    })
    expect((await send('POST', `${path}?version=x`)).status).toBe(422)
  })

  it('that were never made are 404', async () => {
    const { assistant_id } = await three()
    await expect(assistants.setLatest(assistant_id, 4)).rejects.toThrow(
      /^HTTP 404: .*version not found/,
    )
  })
})

describe('removing an assistant', () => {
  it('removes its versions too', async () => {
    const { assistant_id } = await assistants.create(aRequest)
    const { status, body } = await send('DELETE', `/assistants/${assistant_id}`)
    expect({ status, body }).toEqual({ status: 200, body: [assistant_id] })
    await expect(assistants.get(assistant_id)).rejects.toThrow('HTTP 404')
    await expect(assistants.delete(assistant_id)).rejects.toThrow('HTTP 404')
    const again = await assistants.create({ ...aRequest, assistantId: assistant_id })
    expect(again.version).toBe(1)
  })

  it('ends its runs, those that run and those that wait, and keeps the threads', async () => {
    const { assistant_id } = await assistants.create({ graphId: 'slow' })
    const { thread_id } = await server.client.threads.create()
    const input = { count: 1, ms: 60_000 }
    const first = await server.client.runs.create(thread_id, assistant_id, { input })
    const second = await server.client.runs.create(thread_id, assistant_id, { input })
    const status = async (run_id: string) =>
      (await server.client.runs.get(thread_id, run_id)).status
    await expect.poll(() => status(first.run_id)).toBe('running')
    await assistants.delete(assistant_id)
    await expect.poll(() => status(first.run_id)).toBe('interrupted')
    expect(await status(second.run_id)).toBe('interrupted')
    expect(await server.client.threads.get(thread_id)).toMatchObject({ thread_id })
  })

  it('removes the threads of its runs where that is wished', async () => {
    const { assistant_id } = await assistants.create({ graphId: 'slow' })
    const { thread_id } = await server.client.threads.create()
    const other = await server.client.threads.create()
    const input = { count: 1, ms: 1 }
    await server.client.runs.wait(thread_id, assistant_id, { input })
    await server.client.runs.wait(other.thread_id, 'slow', { input })
    const running = await server.client.threads.create()
    await server.client.runs.create(running.thread_id, assistant_id, { input: { ms: 60_000 } })
    await assistants.delete(assistant_id, { deleteThreads: true })
    for (const gone of [thread_id, running.thread_id]) {
      await expect(server.client.threads.get(gone)).rejects.toThrow('HTTP 404')
    }
    expect(await server.client.threads.get(other.thread_id)).toMatchObject({ status: 'idle' })
  })

  it('is refused for the assistant that a graph has by itself', async () => {
    await expect(assistants.delete('agent')).rejects.toThrow(/^HTTP 409: .*langgraph.json/)
    expect(await assistants.get('agent')).toMatchObject({ graph_id: 'agent' })
  })
})

describe('the assistant that a graph has by itself', () => {
  const restartable = async () => {
    const dataDir = temporaryFolder()
    return (options = {}) => startAgentServer({ dataDir, ...options })
  }

  it('keeps what a user made of it when the server starts again', async () => {
    const start = await restartable()
    const before = await start()
    const changed = await before.client.assistants.update('ask', {
      name: 'Asker',
      config: { tags: ['mine'] },
    })
    await before.stop()
    const after = await start()
    expect(await after.client.assistants.get('ask')).toEqual(changed)
    const own = await after.client.assistants.setLatest('ask', 1)
    expect(own).toMatchObject({ name: 'ask', config: {}, version: 1 })
    await after.stop()
  })

  it('follows the project while nobody changed it', async () => {
    const start = await restartable()
    const before = await start()
    const { assistant_id, created_at } = await before.client.assistants.get('ask')
    await before.stop()
    const graphConfigs = { ask: { tags: ['new'], context: { tone: 'kind' } } }
    const after = await start({ graphConfigs })
    expect(await after.client.assistants.get('ask')).toMatchObject({
      assistant_id,
      created_at,
      description: 'Asks before it goes on',
      config: { tags: ['new'] },
      context: { tone: 'kind' },
      version: 1,
    })
    expect(await after.client.assistants.getVersions('ask')).toHaveLength(1)
    await after.stop()
  })
})

const post = (path: string, body: object) => send('POST', path, body)

async function send(method: string, path: string, body?: object) {
  const response = await fetch(server.url + path, {
    method,
    ...(body && { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  return { status: response.status, body: (await response.json()) as any }
}
