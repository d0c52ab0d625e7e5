/**
 * A graph host as it is behind a wire: nothing passes but copies of JSON, bytes, errors with their names and
 * messages, and signals without their reasons. Whatever else someone hands over is an error here.
 */
import type { GraphCheckpoints } from '../../../src/core/agent/checkpoint.ts'
import type { ProjectAuth } from '../../../src/core/agent/host/auth.ts'
import type { HostCalls } from '../../../src/core/agent/host/calls.ts'
import type { Emission } from '../../../src/core/agent/host/emission.ts'
import type { GraphHost, OpenGraph } from '../../../src/core/agent/host/graph-host.ts'
import type { GraphEnd, GraphRun, StreamTransform } from '../../../src/core/agent/host/run.ts'
import type { TimelineSpan } from '../../../src/core/agent/timeline/timeline.ts'
import { AppError, DatabaseAway, ProjectRefusal } from '../../../src/core/errors.ts'

export function wireHost(host: GraphHost): GraphHost {
  const { runtimes, graphs, auth, routes, embed } = host
  return {
    runtimes: copy(runtimes),
    graphs: new Map(
      [...graphs].map(([graph_id, { contextKeys, ...info }]) => [
        graph_id,
        { ...copy(info), contextKeys: contextKeys && new Set(contextKeys) },
      ]),
    ),
    ...(auth && { auth: wireAuth(auth) }),
    ...(routes && { routes }),
    ...(embed && { embed: wired(embed) }),
    connect: (calls) => host.connect(wireCalls(calls)),
    open: async (graph_id, config, checkpoints) => {
      const given = checkpoints && wireCheckpoints(checkpoints)
      return wireGraph(await crossing(() => host.open(graph_id, copy(config), given)))
    },
  }
}

function wireAuth({ isStudioAuthDisabled, wantsBody, ...auth }: ProjectAuth): ProjectAuth {
  return {
    isStudioAuthDisabled,
    ...(wantsBody && { wantsBody }),
    authenticate: async (request) => copy(await crossing(() => auth.authenticate(request))),
    authorize: wired((question) => auth.authorize(question)),
  }
}

function wireCalls({ checkpoints, items, onNode, fetch }: HostCalls): HostCalls {
  return {
    checkpoints: wireCheckpoints(checkpoints),
    items: {
      get: wired((...args) => items.get(...args)),
      write: wired((...args) => items.write(...args)),
      searchAll: wired((...args) => items.searchAll(...args)),
      namespaces: wired((...args) => items.namespaces(...args)),
    },
    onNode: (place) => onNode(copy(place)),
    fetch: (request, options) => fetch(request, options),
  }
}

function wireCheckpoints(checkpoints: GraphCheckpoints): GraphCheckpoints {
  return {
    put: wired((...args) => checkpoints.put(...args)),
    putWrites: wired((...args) => checkpoints.putWrites(...args)),
    get: wired((...args) => checkpoints.get(...args)),
    list: wired((...args) => checkpoints.list(...args)),
    deleteThread: wired((...args) => checkpoints.deleteThread(...args)),
  }
}

function wireGraph(graph: OpenGraph): OpenGraph {
  return {
    names: wired(() => graph.names()),
    schemas: wired(() => graph.schemas()),
    draw: wired((xray) => graph.draw(xray)),
    async getState(place, { subgraphs, checkpoints } = { subgraphs: false }) {
      const given = checkpoints && { checkpoints: wireCheckpoints(checkpoints) }
      return copy(await crossing(() => graph.getState(copy(place), { subgraphs, ...given })))
    },
    updateState: wired((...args) => graph.updateState(...args)),
    async *listStates(place, query) {
      for await (const state of graph.listStates(copy(place), copy(query))) yield copy(state)
    },
    async run(request, { checkpoints, onSpans }, signal) {
      const calls = {
        checkpoints: wireCheckpoints(checkpoints),
        onSpans: (spans: readonly TimelineSpan[]) => onSpans(copy(spans)),
      }
      return wireRun(await crossing(() => graph.run(copy(request), calls, mirror(signal))))
    },
  }
}

function wireRun(run: GraphRun): GraphRun {
  const { emissions, end, transform } = run
  /** By the copy that was handed out. */
  const originals = new WeakMap<Emission, Emission>()
  const handOut = (emission: Emission) => {
    const copied = copy(emission)
    originals.set(copied, emission)
    return copied
  }
  async function* copies() {
    for await (const batch of emissions) yield batch.map(handOut)
  }
  return {
    emissions: copies(),
    end: end.then(copyEnd),
    ...(run.drain && { drain: () => run.drain?.() ?? false }),
    ...(transform && { transform: wireTransform(transform, originals) }),
  }
}

function copyEnd(end: GraphEnd): GraphEnd {
  if (end.kind !== 'failed') return copy(end)
  const { thrown, ...failure } = end.failure
  const told = thrown instanceof Error ? toJson(thrown) : thrown
  return { kind: 'failed', failure: copy({ ...failure, thrown: told }) }
}

function toJson({ name, message, stack, cause }: Error): object {
  return { name, message, stack, cause: cause instanceof Error ? toJson(cause) : undefined }
}

function wireTransform(
  transform: StreamTransform,
  originals: WeakMap<Emission, Emission>,
): StreamTransform {
  return {
    async onEvents(events, of) {
      const original = of && originals.get(of)
      return copy(await crossing(async () => transform.onEvents(copy(events), original)))
    },
    finish: wired(() => transform.finish()),
    fail: wired(async (error) => transform.fail(error)),
  }
}

/** The same, of copies. */
function wired<Args extends unknown[], T>(
  call: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  return async (...args) => copy(await crossing(() => call(...(args.map(copy) as Args))))
}

async function crossing<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (thrown) {
    throw copyError(thrown)
  }
}

function copyError(thrown: unknown): Error {
  if (thrown instanceof DatabaseAway) return new DatabaseAway(thrown.message, undefined)
  if (thrown instanceof AppError) {
    const { code, message, issues } = thrown
    return new AppError(code, message, { ...(issues && { issues: copy(issues) }) })
  }
  if (thrown instanceof ProjectRefusal) {
    return new ProjectRefusal(thrown.status, thrown.message, new Headers([...thrown.headers]))
  }
  const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown))
  return Object.assign(new Error(message), { name })
}

function mirror(signal: AbortSignal): AbortSignal {
  const own = new AbortController()
  const abort = () => own.abort()
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return own.signal
}

/** Throws for what no wire takes. `undefined` stands for what is absent. */
function copy<T>(value: T): T {
  return copyAny(value, 'value') as T
}

function copyAny(value: unknown, place: string): unknown {
  if (value === undefined || value === null) return value
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (value instanceof Uint8Array) return Uint8Array.from(value)
  if (Array.isArray(value)) return value.map((one, index) => copyAny(one, `${place}[${index}]`))
  if (typeof value !== 'object' || !isPlain(value)) {
    throw new TypeError(`${place} is no JSON: ${Object.prototype.toString.call(value)}`)
  }
  const entries = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(entries.map(([key, one]) => [key, copyAny(one, `${place}.${key}`)]))
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
