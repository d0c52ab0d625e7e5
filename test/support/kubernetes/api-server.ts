/** The HTTP side of the stand-in: discovery, reading, watching, patching, deleting, logs. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { applied, mergePatch } from './patches.ts'
import type { KubernetesObject } from './schema.ts'
import { type Change, type ObjectStore, Refusal } from './store.ts'

/** By API group and version: the plural of each kind, and whether it has a namespace. */
const RESOURCES: Record<string, Record<string, string>> = {
  v1: {
    Namespace: 'namespaces',
    Secret: 'secrets',
    Pod: 'pods',
    Service: 'services',
    Event: 'events',
  },
  'apps/v1': { Deployment: 'deployments' },
  'batch/v1': { Job: 'jobs' },
  'networking.k8s.io/v1': { NetworkPolicy: 'networkpolicies' },
  'policy/v1': { PodDisruptionBudget: 'poddisruptionbudgets' },
  'autoscaling/v2': { HorizontalPodAutoscaler: 'horizontalpodautoscalers' },
}

interface Logs {
  /** Writes what there is, and with `follow` what comes. Answers how to stop. */
  read(
    pod: string,
    container: string,
    options: { previous: boolean; follow: boolean },
    write: (time: string, line: string) => void,
    end: () => void,
  ): () => void
}

interface ApiServerParts {
  store: ObjectStore
  logs: Logs
  /** Called for a pod that is to end. */
  endPod(pod: KubernetesObject, graceSeconds: number): void
}

interface Where {
  apiVersion: string
  plural: string
  kind: string
  namespace: string | undefined
  name: string | undefined
  subresource: string | undefined
}

export class ApiServer {
  readonly #parts: ApiServerParts
  readonly #server: Server
  #port = 0
  /** Every refusal that it has answered. */
  readonly refusals: string[] = []
  /** The plurals of the kinds that its user may do nothing with. */
  readonly forbidden = new Set<string>()

  constructor(parts: ApiServerParts) {
    this.#parts = parts
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => this.#refuse(response, error))
    })
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** A second time: at the same address. */
  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** It is away: connections are cut, and new ones refused. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.url)
    const groupVersion = /^\/(?:api|apis)\/(v1|[^/]+\/v\d+)$/.exec(url.pathname)?.[1]
    if (groupVersion) return send(response, 200, discovery(groupVersion))
    const where = parse(url.pathname)
    if (!where) throw new Refusal(404, 'the server could not find the requested resource')
    if (this.forbidden.has(where.plural)) throw new Refusal(403, `${where.plural} is forbidden`)
    if (where.subresource === 'log') return this.#log(where, url, response)
    if (request.method === 'GET' && where.name) {
      return send(response, 200, this.#find(where, where.name))
    }
    if (request.method === 'GET') {
      return url.searchParams.get('watch')
        ? this.#watch(where, url, response)
        : this.#list(where, url, response)
    }
    const body = await read(request)
    if (request.method === 'PATCH')
      return send(response, 200, this.#patch(where, url, request, body))
    if (request.method === 'DELETE') return this.#delete(where, url, response)
    throw new Refusal(405, 'not served by the stand-in')
  }

  #find({ kind, namespace, plural }: Where, name: string): KubernetesObject {
    const object = this.#parts.store.get(kind, namespace, name)
    if (!object) throw new Refusal(404, `${plural} "${name}" not found`)
    return object
  }

  #list(where: Where, url: URL, response: ServerResponse): void {
    const { store } = this.#parts
    const items = store.all(where.kind).filter((one) => isMeant(one, where, url))
    const metadata = { resourceVersion: String(store.version) }
    send(response, 200, {
      apiVersion: where.apiVersion,
      kind: `${where.kind}List`,
      metadata,
      items,
    })
  }

  #watch(where: Where, url: URL, response: ServerResponse): void {
    const { store } = this.#parts
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    const tell = ({ type, object }: Change) => {
      if (object.kind !== where.kind || !isMeant(object, where, url)) return
      response.write(`${JSON.stringify({ type, object })}\n`)
    }
    for (const change of store.since(Number(url.searchParams.get('resourceVersion')))) tell(change)
    response.on('close', store.onChange(tell))
  }

  #patch(where: Where, url: URL, request: IncomingMessage, body: string): KubernetesObject {
    const { store } = this.#parts
    const name = where.name ?? ''
    const before = store.get(where.kind, where.namespace, name)
    const patch = JSON.parse(body) as KubernetesObject
    const manager = url.searchParams.get('fieldManager')
    if (request.headers['content-type'] === 'application/apply-patch+yaml') {
      if (!manager) throw new Refusal(400, 'fieldManager is required for apply patch')
      if (patch.metadata?.name !== name)
        throw new Refusal(400, 'the name of the object does not match')
      return store.put(applied(before, patch, manager))
    }
    if (request.headers['content-type'] !== 'application/merge-patch+json') {
      throw new Refusal(415, 'the stand-in takes server-side apply and merge patches')
    }
    if (!before) throw new Refusal(404, `${where.plural} "${name}" not found`)
    return store.put(mergePatch(before, patch) as KubernetesObject)
  }

  #delete(where: Where, url: URL, response: ServerResponse): void {
    const { store, endPod } = this.#parts
    const object = this.#find(where, where.name ?? '')
    const grace = url.searchParams.get('gracePeriodSeconds')
    const { terminationGracePeriodSeconds = 30 } = (object.spec ?? {}) as Record<string, number>
    if (object.kind === 'Pod')
      endPod(object, grace === null ? terminationGracePeriodSeconds : Number(grace))
    else store.delete(object)
    send(response, 200, { apiVersion: 'v1', kind: 'Status', status: 'Success' })
  }

  #log(where: Where, url: URL, response: ServerResponse): void {
    const { searchParams } = url
    const pod = this.#find(where, where.name ?? '')
    const container = searchParams.get('container') ?? 'agent'
    const [follow, previous, stamps] = ['follow', 'previous', 'timestamps'].map(
      (name) => searchParams.get(name) === 'true',
    )
    const since = searchParams.get('sinceTime') ?? ''
    const tail = Number(searchParams.get('tailLines') ?? Number.POSITIVE_INFINITY)
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.flushHeaders()
    const held: string[] = []
    const write = (time: string, line: string) => {
      if (time.slice(0, 19) < since.slice(0, 19)) return
      const text = `${stamps ? `${time} ` : ''}${line}\n`
      if (follow) response.write(text)
      else held.push(text)
    }
    const end = () => response.end(held.slice(-tail).join(''))
    const options = { previous: previous ?? false, follow: follow ?? false }
    response.on('close', this.#parts.logs.read(pod.metadata.name, container, options, write, end))
  }

  #refuse(response: ServerResponse, error: unknown): void {
    const code = error instanceof Refusal ? error.code : 500
    const message = error instanceof Error ? error.message : String(error)
    if (code !== 404) this.refusals.push(message)
    if (response.headersSent) return void response.destroy()
    send(response, code, { apiVersion: 'v1', kind: 'Status', status: 'Failure', code, message })
  }
}

const PATH =
  /^\/(?:api|apis)\/(v1|[^/]+\/v\d+)(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/]+))?(?:\/([a-z]+))?$/

function parse(path: string): Where | undefined {
  const [, apiVersion = '', namespace, plural = '', name, subresource] = PATH.exec(path) ?? []
  const kinds = Object.entries(RESOURCES[apiVersion] ?? {})
  const [kind] = kinds.find(([, one]) => one === plural) ?? []
  return kind ? { apiVersion, plural, kind, namespace, name, subresource } : undefined
}

function discovery(groupVersion: string): object {
  const kinds = Object.entries(RESOURCES[groupVersion] ?? {})
  const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']
  const resources = kinds.map(([kind, name]) => ({
    ...{ kind, name, singularName: kind.toLowerCase(), namespaced: kind !== 'Namespace', verbs },
  }))
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources }
}

function isMeant({ metadata }: KubernetesObject, { namespace }: Where, url: URL): boolean {
  if (namespace !== undefined && metadata.namespace !== namespace) return false
  const selector = url.searchParams.get('labelSelector')
  return (selector?.split(',') ?? []).every((one) => {
    const [key = '', value] = one.split('=')
    return metadata.labels?.[key] === value
  })
}

function send(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

async function read(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
