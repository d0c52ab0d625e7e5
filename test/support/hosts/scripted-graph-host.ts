/** A graph host without LangGraph: its graphs are scripts. The same as `test/fixtures/projects/played`. */
import { once } from 'node:events'
import type { HostCalls } from '../../../src/core/agent/host/calls.ts'
import type { GraphInfo, GraphNames } from '../../../src/core/agent/host/description.ts'
import { failureOf } from '../../../src/core/agent/host/failure.ts'
import type { GraphConfig, GraphHost, OpenGraph } from '../../../src/core/agent/host/graph-host.ts'
import type { GraphEnd, GraphRun } from '../../../src/core/agent/host/run.ts'
import type { JsonObject, JsonValue } from '../../../src/core/json.ts'
import { type Script, ScriptedPlayer } from './scripted-player.ts'
import { listScripted, readScripted, updateScripted } from './scripted-states.ts'

const step = (name: string) => async () => ({ steps: [name] })

const SCRIPTS: Record<string, Script> = {
  steps: {
    first: async ({ write }) => {
      write({ at: 'first' })
      return { steps: ['first'] }
    },
    second: async ({ write, tool }) => {
      write({ at: 'second' })
      tool('look', { at: 'it' }, 'it is fine')
      return { steps: ['second'] }
    },
  },
  ask: {
    before: step('before'),
    ask: async ({ ask }) => ({ answer: ask({ question: 'sure?' }), steps: ['ask'] }),
  },
  nested: {
    before: step('before'),
    child: { inner: async ({ state }) => ({ text: String(state.text).toUpperCase() }) },
  },
  fail: {
    fail: async () => {
      throw new RangeError('failed on purpose')
    },
  },
  hang: {
    hang: async ({ signal, write, calls }) => {
      write('waiting')
      if (!signal.aborted) await once(signal, 'abort')
      await calls.items.get({ namespace: ['hang'], key: 'end' })
      return { steps: ['late'] }
    },
  },
  talk: {
    talk: async ({ say, state }) => {
      const asked = (state.messages as JsonObject[]).at(-1)
      const words = `echo: ${asked?.content}`.split(/(?<= )/)
      return { messages: [say(`answer-to-${asked?.id}`, words)] }
    },
  },
  remember: {
    remember: async ({ calls }) => {
      const id = { namespace: ['notes'], key: 'one' }
      await calls.items.write([{ ...id, value: { text: 'kept' } }])
      const item = await calls.items.get(id)
      const search = { namespace_prefix: ['notes'], limit: 10, offset: 0 }
      const [found = []] = await calls.items.searchAll([search])
      const request = new Request('http://localhost/threads/search', { method: 'POST', body: '{}' })
      const threads = (await (await calls.fetch(request)).json()) as JsonValue
      return { found: [item?.value ?? null, found.length, threads] }
    },
  },
  made: {
    tell: async ({ config: { configurable, metadata, tags }, context }) => ({
      told: {
        tenant: configurable.tenant ?? null,
        metadata: metadata?.from ?? null,
        tags: tags ?? [],
      },
      context,
    }),
  },
}

/** Nothing of a project is needed for it. */
export function createScriptedHost(): GraphHost {
  let server: HostCalls | undefined
  return {
    runtimes: [{ language: 'js', langgraphVersion: '0.0.0' }],
    graphs: new Map(Object.keys(SCRIPTS).map((graph_id) => [graph_id, infoOf(graph_id)])),
    connect(calls) {
      server = calls
      return () => {
        server = undefined
      }
    },
    async open(graph_id, config, checkpoints) {
      const script = SCRIPTS[graph_id]
      if (!script || !server) throw new Error(`There is no graph "${graph_id}".`)
      if (config.configurable.is_refused) throw new RangeError('not with this config')
      return openScript(script, config, {
        ...server,
        ...(checkpoints && { checkpoints }),
      })
    },
  }
}

function infoOf(graph_id: string): GraphInfo {
  const description = graph_id === 'steps' ? 'Takes two steps.' : null
  return { graph_id, description, hasFactory: graph_id === 'made', contextKeys: undefined }
}

function openScript(script: Script, config: GraphConfig, calls: HostCalls): OpenGraph {
  const { checkpoints } = calls
  return {
    async run(request, own, signal): Promise<GraphRun> {
      const { promise: end, resolve } = Promise.withResolvers<GraphEnd>()
      const player = new ScriptedPlayer(request, config, { signal, calls, ...own })
      return { emissions: tellingEnd(player.play(script), signal, resolve), end }
    },
    getState: (place, options) => readScripted(options?.checkpoints ?? checkpoints, place),
    listStates: (place, query) => listScripted(checkpoints, place, query),
    updateState: (place, supersteps) => updateScripted(checkpoints, script, place, supersteps),
    names: async () => namesOf(script),
    schemas: async () => ({ graph: {}, subgraphs: {} }),
    draw: async () => ({
      nodes: Object.keys(script).map((id) => ({ id })),
      edges: [],
    }),
  }
}

/** Says how it has ended, and never rejects. */
async function* tellingEnd<T>(
  emissions: AsyncIterable<T[]>,
  signal: AbortSignal,
  resolve: (end: GraphEnd) => void,
): AsyncGenerator<T[]> {
  let end: GraphEnd = { kind: 'completed' }
  try {
    for await (const batch of emissions) if (batch.length > 0) yield batch
  } catch (thrown) {
    end = { kind: 'failed', failure: failureOf(thrown) }
  } finally {
    resolve(signal.aborted ? { kind: 'stopped' } : end)
  }
}

function namesOf(script: Script): GraphNames {
  return { nodes: Object.keys(script), values: ['steps', 'messages'] }
}
