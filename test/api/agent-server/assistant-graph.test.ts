import { beforeAll, describe, expect, it } from 'vitest'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'
import { describeIn, differing } from '../../support/agent/language.ts'
import { forAllTests } from '../../support/running.ts'

let assistants: RunningAgentServer['client']['assistants']

const server = forAllTests(() => startAgentServer({ projectName: 'schemas' }))
beforeAll(async () => {
  assistants = server.client.assistants
})

/** What the schemas say that they are written in. */
const DIALECT = 'http://json-schema.org/draft-07/schema#'

/** The compiler takes seconds, more beside other tests. */
const SLOW = 60_000

describe('the drawing of a graph', () => {
  const nodes = async (xray?: boolean | number) =>
    (await assistants.getGraph('outer', xray === undefined ? {} : { xray })).nodes.map(
      ({ id }) => id,
    )

  it('has its nodes and edges', async () => {
    const { nodes, edges } = await assistants.getGraph('outer')
    const end = differing('drawings', { javascript: 'schema', python: 'runnable' })
    const name = differing('drawings', { javascript: 'LangGraph', python: 'inner' })
    expect(nodes).toMatchObject([
      { id: '__start__', type: end },
      { id: 'inner', type: 'runnable', data: { name } },
      { id: 'known', type: 'runnable' },
      { id: '__end__', ...differing('drawings', { javascript: { type: end }, python: {} }) },
    ])
    const always = differing('drawings', { javascript: { conditional: false }, python: {} })
    expect(edges).toEqual([
      { source: '__start__', target: 'inner', ...always },
      { source: 'inner', target: 'known', ...always },
      { source: 'known', target: '__end__', ...always },
    ])
  })

  it('looks into subgraphs as deep as asked', async () => {
    expect(await nodes(false)).toContain('inner')
    expect(await nodes(0)).toContain('inner')
    expect(await nodes(1)).toContain('inner:deepest')
    expect(await nodes(2)).toContain('inner:deepest:dive')
    expect(await nodes(true)).toContain('inner:deepest:dive')
  })

  it.each(['-1', 'yes', '1.5'])('refuses a depth of "%s"', async (xray) => {
    const response = await fetch(`${server.url}/assistants/outer/graph?xray=${xray}`)
    expect(response.status).toBe(422)
  })

  it('exists for graphs of the functional API too', async () => {
    const { nodes } = await assistants.getGraph('functional')
    expect(nodes).toHaveLength(3)
  })
})

describeIn('javascript', 'schemas')('the schemas of a graph', () => {
  it('come from its zod schemas, with what JSON Schema has no words for left open', async () => {
    const schemas = await assistants.getSchemas('zod')
    expect(schemas).toMatchObject({
      graph_id: 'zod',
      state_schema: {
        type: 'object',
        properties: {
          messages: { langgraph_type: 'messages' },
          topic: { type: 'string', description: 'What it is about.' },
          score: { type: 'number' },
          at: { type: 'string', format: 'date-time' },
        },
        required: expect.arrayContaining(['topic']),
      },
      input_schema: { properties: { topic: { type: 'string' } } },
      output_schema: { properties: { score: { type: 'number' } }, required: ['score'] },
      config_schema: { properties: { tone: { enum: ['kind', 'plain'] } } },
      context_schema: { properties: { tone: { enum: ['kind', 'plain'] } } },
    })
    expect(JSON.stringify(schemas)).not.toContain('lg:')
  })

  it('come from zod 3 as well', async () => {
    expect(await assistants.getSchemas('zod3')).toMatchObject({
      state_schema: {
        type: 'object',
        properties: { messages: { langgraph_type: 'messages' }, note: { type: 'string' } },
      },
      input_schema: { properties: { note: { type: 'string' } } },
    })
  })

  it('come from standard schemas, with what a reducer takes as the input', async () => {
    expect(await assistants.getSchemas('standard')).toMatchObject({
      state_schema: { properties: { name: { type: 'string' }, total: { type: 'number' } } },
      input_schema: { properties: { total: { type: 'number', maximum: 9 } } },
      output_schema: { required: ['name'] },
    })
  })

  it('come from the types where there is nothing else', { timeout: SLOW }, async () => {
    const message = { $ref: '#/definitions/BaseMessage' }
    const messages = { type: 'array', items: message, langgraph_type: 'messages' }
    const { state_schema, ...schemas } = await assistants.getSchemas('annotated')
    expect(state_schema).toMatchObject({
      $schema: DIALECT,
      type: 'object',
      properties: {
        messages,
        mood: { type: 'string', enum: ['bad', 'good', 'unsure'], description: 'How it feels.' },
        place: { anyOf: [{ type: 'null' }, { $ref: '#/definitions/Place' }] },
        pair: { type: 'array', minItems: 2, maxItems: 2 },
        seen: { type: 'object', additionalProperties: { type: 'boolean' } },
        at: { type: 'string', format: 'date-time' },
        log: { type: 'array', items: { type: 'string' } },
        latest: message,
      },
      required: ['mood', 'place', 'pair', 'seen', 'at', 'log', 'messages'],
      definitions: {
        Place: {
          properties: {
            name: { type: 'string' },
            parts: { items: { $ref: '#/definitions/Place' }, description: 'Places within it.' },
          },
          required: ['name'],
        },
        BaseMessage: { oneOf: expect.arrayContaining([{ $ref: '#/definitions/AIMessage' }]) },
        AIMessage: { properties: { type: { const: 'ai' } }, required: ['type', 'content'] },
      },
    })
    const context = { properties: { userId: { type: 'string' }, limit: { type: 'number' } } }
    expect(schemas).toMatchObject({
      graph_id: 'annotated',
      input_schema: { properties: { mood: { enum: ['bad', 'good', 'unsure'] } } },
      output_schema: { required: ['place'] },
      config_schema: { $schema: DIALECT, ...context, required: ['userId'] },
      context_schema: { ...context, required: ['userId'] },
    })
  })

  it('are those of what a factory answers', { timeout: SLOW }, async () => {
    const { input_schema, state_schema } = await assistants.getSchemas('factory')
    expect(state_schema).toMatchObject({ required: ['messages'] })
    const items = { $ref: '#/definitions/BaseMessage' }
    expect(input_schema?.properties).toEqual({
      messages: { type: 'array', items, langgraph_type: 'messages' },
    })
  })

  it('name the values at least, where there are no types either', { timeout: SLOW }, async () => {
    const open = { $schema: DIALECT, type: 'object' }
    const names = { ...open, properties: { first: {}, second: {} } }
    const context = { config_schema: open, context_schema: open }
    expect(await assistants.getSchemas('plain')).toEqual({
      graph_id: 'plain',
      state_schema: names,
      input_schema: names,
      output_schema: names,
      ...context,
    })
    const functional = await assistants.getSchemas('functional')
    expect(functional).toEqual({ graph_id: 'functional', ...context })
  })
})

describeIn('python', 'schemas')('the schemas of a graph in Python', () => {
  it('come from its pydantic models', async () => {
    const tone = { enum: ['kind', 'plain'], type: 'string' }
    expect(await assistants.getSchemas('zod')).toMatchObject({
      graph_id: 'zod',
      state_schema: {
        type: 'object',
        properties: {
          messages: { type: 'array' },
          topic: { type: 'string', description: 'What it is about.' },
          score: { anyOf: [{ type: 'number' }, { type: 'null' }] },
          at: { type: 'string', format: 'date-time' },
        },
        required: expect.arrayContaining(['topic']),
      },
      input_schema: { properties: { topic: { type: 'string' } }, required: ['topic'] },
      output_schema: { properties: { score: { type: 'number' } }, required: ['score'] },
      config_schema: { properties: { tone } },
      context_schema: { properties: { tone }, required: ['tone'] },
    })
  })

  it('come from dataclasses', async () => {
    const { state_schema } = await assistants.getSchemas('standard')
    expect(state_schema).toMatchObject({
      properties: { name: { type: 'string' }, total: { type: 'number', maximum: 9 } },
    })
  })

  it('come from typed dicts', async () => {
    const { state_schema, ...schemas } = await assistants.getSchemas('annotated')
    expect(state_schema).toMatchObject({
      type: 'object',
      properties: {
        messages: { type: 'array' },
        mood: { type: 'string', enum: ['good', 'bad', 'unsure'] },
        place: { anyOf: [{ $ref: '#/$defs/Place' }, { type: 'null' }] },
        pair: { type: 'array', minItems: 2, maxItems: 2 },
        seen: { type: 'object', additionalProperties: { type: 'boolean' } },
        at: { type: 'string', format: 'date-time' },
        log: { type: 'array', items: { type: 'string' } },
      },
      $defs: {
        Place: {
          properties: { name: { type: 'string' }, parts: { items: { $ref: '#/$defs/Place' } } },
          required: ['name'],
        },
      },
    })
    expect(schemas).toMatchObject({
      input_schema: { properties: { mood: { enum: ['good', 'bad', 'unsure'] } } },
      output_schema: { required: ['place'] },
      context_schema: {
        properties: { userId: { type: 'string' }, limit: { type: 'integer' } },
        required: ['userId'],
      },
    })
  })

  it('are those of what a factory answers', async () => {
    const { input_schema } = await assistants.getSchemas('factory')
    expect(input_schema?.properties).toMatchObject({ messages: { type: 'array' } })
  })

  it('are there for graphs of the functional API', async () => {
    const functional = await assistants.getSchemas('functional')
    expect(functional).toMatchObject({ graph_id: 'functional' })
  })
})

describe('subgraphs', () => {
  const depth = { properties: { depth: { type: 'number' } } }

  it('are named by their nodes', { timeout: SLOW }, async () => {
    const found = await assistants.getSubgraphs('outer')
    expect(Object.keys(found)).toEqual(['inner', 'known'])
    const context = { type: 'object' }
    expect(found.known).toMatchObject({
      graph_id: 'outer',
      config_schema: context,
      context_schema: context,
      state_schema: { properties: { flag: { type: 'boolean' } } },
      input_schema: {},
      output_schema: {},
    })
    expect(found.inner).toMatchObject({
      state_schema: { properties: { depth: { type: 'number' }, text: { type: 'string' } } },
    })
  })

  it('have their own subgraphs below them', { timeout: SLOW }, async () => {
    const found = await assistants.getSubgraphs('outer', { recurse: true })
    expect(Object.keys(found)).toEqual(['inner', 'inner|deepest', 'known'])
    expect(found['inner|deepest']).toMatchObject({ state_schema: depth })
  })

  it('are found by their way, at any depth', { timeout: SLOW }, async () => {
    const one = await assistants.getSubgraphs('outer', { namespace: 'inner|deepest' })
    expect(one).toMatchObject({ 'inner|deepest': { state_schema: depth } })
    expect(Object.keys(one)).toHaveLength(1)
    expect(await assistants.getSubgraphs('outer', { namespace: 'none' })).toEqual({})
  })

  it('are none where a graph has none', async () => {
    expect(await assistants.getSubgraphs('zod')).toEqual({})
  })
})

describe('a description', () => {
  it('is of the graph as the assistant configures it', async () => {
    const config = { configurable: { node: 'special' } }
    const { assistant_id } = await assistants.create({ graphId: 'factory', config })
    const { nodes } = await assistants.getGraph(assistant_id)
    expect(nodes.map(({ id }) => id)).toContain('special')
  })

  it('that the project’s own code refuses is refused with its reason', async () => {
    const reason = /^HTTP 400: .*\\"failing\\" cannot be described: the model has no key/
    await expect(assistants.getGraph('failing')).rejects.toThrow(reason)
    await expect(assistants.getSchemas('failing')).rejects.toThrow(reason)
    await expect(assistants.getSubgraphs('failing')).rejects.toThrow(reason)
  })

  it('of an assistant that is not there is 404', async () => {
    await expect(assistants.getGraph('none')).rejects.toThrow('HTTP 404')
    await expect(assistants.getSchemas('none')).rejects.toThrow('HTTP 404')
    await expect(assistants.getSubgraphs('none')).rejects.toThrow('HTTP 404')
  })
})

describe('a graph’s own assistant', () => {
  it('has what langgraph.json says', async () => {
    expect(await assistants.get('zod')).toMatchObject({
      name: 'zod',
      description: 'Says what it works with in zod 4.',
      config: { tags: ['from-the-project'], configurable: { model: 'small' } },
      context: { tone: 'kind' },
    })
  })
})
