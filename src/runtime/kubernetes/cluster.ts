/** The cluster's API as this driver needs it. Retries while the API is away. */
import { setTimeout as delay } from 'node:timers/promises'
import type {
  CoreV1Event,
  Informer,
  KubeConfig,
  KubernetesListObject,
  KubernetesObject,
  KubernetesObjectApi,
  ObjectCache,
} from '@kubernetes/client-node'
import { request } from 'undici'
import type { KubernetesSettings } from '../../core/deployment/kubernetes-settings.ts'
import { jsonIn } from '../../core/json.ts'
import { importLater } from '../../core/later-package.ts'
import type { Log } from '../../core/log.ts'
import { createLineSplitter } from '../../process/output-lines.ts'

/** Marks our fields in objects that several clients write. */
const FIELD_MANAGER = 'runyard'
/** Wait before a retry while the API server is away, in ms: doubled up to the longest one. */
const RETRY_MS = 250
const LONGEST_RETRY_MS = 5_000
/** How many lines of a container's log a reason shows. */
const TAIL_LINES = 20

/** A reference to an object. */
export interface ObjectRef {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace: string }
}

/** A container of a pod. */
export interface ContainerRef {
  namespace: string
  pod: string
  container: string
}

/** Receives the objects of a kind, in the order of their changes. */
interface Watcher<T> {
  onChange(object: T): void
  onGone(object: T): void
}

/** All objects of a kind with these labels. */
interface Selection {
  apiVersion: string
  kind: string
  selector: string
}

/** Kubernetes' refusal of a request, as a sentence without its end. It is not retried. */
export class ClusterRefusal extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'ClusterRefusal'
    this.code = code
  }
}

export interface Cluster {
  /** The namespace that this process runs in; `undefined`: it runs outside of the cluster. */
  readonly ownNamespace: string | undefined
  /** Server-side apply. Throws `ClusterRefusal`. */
  apply<T extends KubernetesObject>(object: T): Promise<T>
  /** A merge patch. Returns the changed object; `undefined`: it is gone. Throws `ClusterRefusal`. */
  patch<T extends KubernetesObject>(ref: ObjectRef, patch: object): Promise<T | undefined>
  /** Does nothing where it is gone. `graceSeconds` is for pods. */
  remove(ref: ObjectRef, graceSeconds?: number): Promise<void>
  /** `undefined`: there is none. */
  read<T extends KubernetesObject>(ref: ObjectRef): Promise<T | undefined>
  list<T extends KubernetesObject>(what: Selection): Promise<T[]>
  /**
   * Resolves when the watcher has received all existing objects. From then on it receives changes. Only for kinds whose
   * plural adds an s.
   */
  watch<T extends KubernetesObject>(what: Selection, watcher: Watcher<T>): Promise<void>
  /** The last lines; none if they are not available. `isPrevious`: of the container before the last restart. */
  lastLines(ref: ContainerRef, isPrevious: boolean): Promise<string[]>
  /**
   * Hands on each line that is printed after `since` (RFC 3339), with its time in front, until the
   * container ends or `signal` is aborted.
   */
  followLog(
    ref: ContainerRef,
    options: { since?: string; onLine: (line: string) => void; signal: AbortSignal },
  ): Promise<void>
  /** The cluster's last warning about a pod; `undefined`: none. */
  lastWarning(ref: Omit<ContainerRef, 'container'>): Promise<string | undefined>
  /** Stops watching and retrying. Pending calls settle or reject. */
  stop(): void
}

interface Connection {
  client: typeof import('@kubernetes/client-node')
  config: KubeConfig
  objects: KubernetesObjectApi
  signal: AbortSignal
  log: Log
}

/** Throws where the configuration cannot be read. The client is loaded only here: it is large. */
export async function openCluster(
  { kubeconfig, namespace }: Pick<KubernetesSettings, 'kubeconfig' | 'namespace'>,
  log: Log,
): Promise<Cluster> {
  const client = await importLater('to use Kubernetes', () => import('@kubernetes/client-node'))
  const config = new client.KubeConfig()
  if (kubeconfig === undefined) config.loadFromCluster()
  else config.loadFromFile(kubeconfig)
  const context = config.getContextObject(config.getCurrentContext())
  const objects = client.KubernetesObjectApi.makeApiClient(config)
  const closing = new AbortController()
  const connection: Connection = { client, config, objects, signal: closing.signal, log }
  const patient = <T>(work: () => Promise<T>) => retryWhileAway(work, connection)
  const scope = namespace.includes('{workspace_id}') ? undefined : namespace
  return {
    ownNamespace: kubeconfig === undefined ? context?.namespace : undefined,
    apply: (object) =>
      patient(() =>
        objects.patch(object, ...UNSET, FIELD_MANAGER, true, client.PatchStrategy.ServerSideApply),
      ),
    patch<T extends KubernetesObject>(ref: ObjectRef, patch: object) {
      const body = mergeInto(ref, patch) as T
      const { MergePatch } = client.PatchStrategy
      const send = () => objects.patch<T>(body, ...UNSET, FIELD_MANAGER, undefined, MergePatch)
      return unlessGone(() => patient(send))
    },
    async remove(ref, graceSeconds) {
      await unlessGone(() =>
        patient(() => objects.delete(ref, ...UNSET, graceSeconds, undefined, 'Background')),
      )
    },
    read: (ref) => unlessGone(() => patient(() => objects.read(ref))) as Promise<undefined>,
    async list<T extends KubernetesObject>({ apiVersion, kind, selector }: Selection) {
      const all = () => objects.list<T>(apiVersion, kind, scope, ...LIST_UNSET, selector)
      return (await patient(all)).items
    },
    watch: (what, watcher) => watch(connection, { ...what, scope }, watcher),
    lastLines: (ref, isPrevious) => lastLines(connection, ref, isPrevious),
    followLog: (ref, options) => followLog(connection, ref, options),
    lastWarning: (ref) => lastWarning(connection, ref),
    stop: () => closing.abort(),
  }
}

/** `pretty` and `dryRun`, which no call here needs. */
const UNSET = [undefined, undefined] as const

function mergeInto(ref: ObjectRef, patch: object): KubernetesObject {
  const { metadata = {}, ...others } = patch as { metadata?: object }
  return { ...ref, ...others, metadata: { ...metadata, ...ref.metadata } }
}

async function unlessGone<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ClusterRefusal && error.code === 404) return undefined
    throw error
  }
}

/** Rejects with `ClusterRefusal`, or with the signal's reason; retries after all other errors. */
async function retryWhileAway<T>(
  work: () => Promise<T>,
  { client, signal, log }: Connection,
): Promise<T> {
  for (let retryMs = RETRY_MS; ; retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS)) {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      const refusal = refusalOf(error, client)
      if (refusal) throw refusal
      if (retryMs === RETRY_MS) log.warn({ err: error }, 'The Kubernetes API cannot be reached.')
      await delay(retryMs, undefined, { signal })
    }
  }
}

/** Codes that say "not now" and not "not this". */
const PASSING = [408, 409, 429]

function refusalOf(
  error: unknown,
  client: typeof import('@kubernetes/client-node'),
): ClusterRefusal | undefined {
  if (!(error instanceof client.ApiException)) return undefined
  const { code, body } = error as { code: number; body: unknown }
  if (code < 400 || code >= 500 || PASSING.includes(code)) return undefined
  const message = messageOf(body) ?? `it answered ${code}`
  return new ClusterRefusal(code, message.replace(/\.$/, ''))
}

function messageOf(body: unknown): string | undefined {
  const parsed = typeof body === 'string' ? jsonIn(body) : body
  const { message } = (parsed ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : undefined
}

async function watch<T extends KubernetesObject>(
  connection: Connection,
  what: Selection & { scope: string | undefined },
  watcher: Watcher<T>,
): Promise<void> {
  const { client, config, objects, signal, log } = connection
  const { apiVersion, kind, selector, scope } = what
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const within = scope === undefined ? '' : `/namespaces/${scope}`
  const where = `${group}${within}/${kind.toLowerCase()}s`
  const listed = Promise.withResolvers<void>()
  let retryMs = RETRY_MS
  const list = async () => {
    const found = await objects.list<T>(apiVersion, kind, scope, ...LIST_UNSET, selector)
    retryMs = RETRY_MS
    // The informer reports these right after it has got them.
    setImmediate(() => listed.resolve())
    return found as KubernetesListObject<T>
  }
  const informer: Informer<T> & ObjectCache<T> = client.makeInformer(config, where, list, selector)
  informer.on('add', (object) => watcher.onChange(object))
  informer.on('update', (object) => watcher.onChange(object))
  informer.on('delete', (object) => watcher.onGone(object))
  const beginAgain = (error: unknown) => {
    if (signal.aborted) return
    log.warn({ err: error, kind }, 'Watching the Kubernetes API has broken off.')
    setTimeout(begin, retryMs).unref()
    retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS)
  }
  // It rejects if the credentials are not available.
  const begin = () => void (signal.aborted || informer.start().catch(beginAgain))
  informer.on('error', beginAgain)
  signal.addEventListener('abort', () => {
    void informer.stop()
    listed.reject(signal.reason)
  })
  listed.promise.catch(() => {})
  begin()
  await listed.promise
}

/** `pretty`, `exact`, `export` and `fieldSelector`. */
const LIST_UNSET = [undefined, undefined, undefined, undefined] as const

async function lastLines(
  { client, config }: Connection,
  { namespace, pod, container }: ContainerRef,
  isPrevious: boolean,
): Promise<string[]> {
  const api = config.makeApiClient(client.CoreV1Api)
  const question = { namespace, name: pod, container, previous: isPrevious, tailLines: TAIL_LINES }
  const text = await api.readNamespacedPodLog(question).catch(() => '')
  return String(text ?? '')
    .split('\n')
    .filter((line) => line !== '')
}

/** Sends its own request: the client's function for logs ends this process when it is aborted. */
async function followLog(
  { client, config }: Connection,
  { namespace, pod, container }: ContainerRef,
  { since, onLine, signal }: Parameters<Cluster['followLog']>[1],
): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}/log`
  const url = new URL(`${config.getCurrentCluster()?.server}${path}`)
  const query = {
    container,
    follow: 'true',
    timestamps: 'true',
    ...(since && { sinceTime: since }),
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const context = new client.RequestContext(url.toString(), client.HttpMethod.GET)
  await config.applySecurityAuthentication(context)
  const [headers, dispatcher] = [context.getHeaders(), context.getDispatcher()]
  const terms = { headers, signal, bodyTimeout: 0, ...(dispatcher && { dispatcher }) }
  const { statusCode, body } = await request(url, terms)
  if (statusCode !== 200) {
    await body.dump()
    return
  }
  const lines = createLineSplitter(onLine)
  for await (const chunk of body) lines.write(chunk)
  lines.end()
}

async function lastWarning(
  { client, config }: Connection,
  { namespace, pod }: Omit<ContainerRef, 'container'>,
): Promise<string | undefined> {
  const api = config.makeApiClient(client.CoreV1Api)
  const fieldSelector = `involvedObject.name=${pod},type=Warning`
  const { items } = await api
    .listNamespacedEvent({ namespace, fieldSelector })
    .catch(() => ({ items: [] as CoreV1Event[] }))
  return items.map(({ message }) => message).at(-1)
}
