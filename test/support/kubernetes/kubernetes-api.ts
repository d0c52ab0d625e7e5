/**
 * A second implementation of a Kubernetes cluster, as far as Runyard uses one: its API over HTTP, with the objects
 * held to what is published of them; Deployments that get their pods; and pods whose containers are processes.
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { restrictedProblems } from './admission.ts'
import { ApiServer } from './api-server.ts'
import { Kubelet } from './kubelet.ts'
import type { KubernetesObject } from './schema.ts'
import { type Change, ObjectStore } from './store.ts'

export interface KubernetesCluster {
  /** The path of a kubeconfig. */
  kubeconfig: string
  objects(kind: string): KubernetesObject[]
  /** What the API has refused so far, but for what was not there. */
  refusals: readonly string[]
  /** Nothing is allowed with objects of these kinds, in the plural of the API. */
  forbid(...plurals: string[]): void
  allow(plural: string): void
  /** The API cannot be reached from now on; pods go on. */
  goAway(): Promise<void>
  comeBack(): Promise<void>
  /** As `kubectl delete pod` does. */
  deletePod(name: string): void
  /** Deletes all objects of a kind. */
  remove(kind: string): Promise<void>
  /** Keeps pods from finding a node, as one that is full does. */
  fill(): void
  /** There is room again, also for pods that wait for it. */
  makeRoom(): void
  stop(): Promise<void>
}

/** `images`: by name, what is run in their place. */
export async function startKubernetesApi(
  images: Record<string, readonly [string, ...string[]]>,
): Promise<KubernetesCluster> {
  const dir = await mkdtemp(join(tmpdir(), 'kubernetes-'))
  const store = new ObjectStore()
  const kubelet = new Kubelet(store, images)
  const controller = new Controller(store, kubelet)
  const api = new ApiServer({
    store,
    endPod: (pod, graceSeconds) => controller.endPod(pod, graceSeconds),
    logs: {
      read: (pod, container, options, write, end) =>
        readLog(kubelet, pod, container, options, write, end),
    },
  })
  await api.start()
  const kubeconfig = join(dir, 'kubeconfig')
  await writeFile(kubeconfig, kubeconfigOf(api.url))
  return {
    kubeconfig,
    refusals: api.refusals,
    objects: (kind) => store.all(kind),
    forbid: (...plurals) => {
      for (const one of plurals) api.forbidden.add(one)
    },
    allow: (plural) => void api.forbidden.delete(plural),
    goAway: () => api.stop(),
    comeBack: () => api.start(),
    deletePod: (name) => {
      const pod = store.all('Pod').find(({ metadata }) => metadata.name === name)
      if (pod) controller.endPod(pod, graceOf(pod))
    },
    async remove(kind) {
      for (const one of store.all(kind)) store.delete(one)
    },
    fill: () => controller.fill(),
    makeRoom: () => controller.makeRoom(),
    async stop() {
      controller.stop()
      await api.stop()
      await kubelet.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** What makes pods of Deployments and Jobs and takes away what has lost its owner. */
class Controller {
  readonly #store: ObjectStore
  readonly #kubelet: Kubelet
  readonly #stopListening: () => void
  /** The Jobs that a pod was made for. */
  readonly #begun = new Set<string>()
  #isFull = false

  constructor(store: ObjectStore, kubelet: Kubelet) {
    this.#store = store
    this.#kubelet = kubelet
    this.#stopListening = store.onChange((change) => setImmediate(() => this.#react(change)))
  }

  stop(): void {
    this.#stopListening()
    for (const kind of ['Deployment', 'Job']) {
      for (const one of this.#store.all(kind)) this.#store.delete(one)
    }
  }

  fill(): void {
    this.#isFull = true
  }

  makeRoom(): void {
    this.#isFull = false
    for (const pod of this.#store.all('Pod')) {
      if (pod.status?.phase === 'Pending') this.#kubelet.take(pod)
    }
  }

  endPod(pod: KubernetesObject, graceSeconds: number): void {
    const current = this.#store.get('Pod', pod.metadata.namespace, pod.metadata.name)
    if (!current) return
    if (!current.metadata.deletionTimestamp) {
      const metadata = {
        ...current.metadata,
        // When it will have been killed.
        deletionTimestamp: new Date(Date.now() + graceSeconds * 1000).toISOString(),
        deletionGracePeriodSeconds: graceSeconds,
      }
      this.#store.put({ ...current, metadata })
    }
    void this.#kubelet.end(pod.metadata.name, graceSeconds).then(() => {
      const left = this.#store.get('Pod', pod.metadata.namespace, pod.metadata.name)
      if (left) this.#store.delete(left)
    })
  }

  #react({ type, object }: Change): void {
    if (type === 'DELETED') this.#collect(object)
    for (const deployment of this.#store.all('Deployment')) this.#tend(deployment)
    for (const job of this.#store.all('Job')) this.#tendJob(job)
  }

  /** One with a `backoffLimit` of 0: one pod, once. */
  #tendJob(job: KubernetesObject): void {
    const { uid = '' } = job.metadata
    if (isOver(job) || job.spec?.suspend) return
    if (!this.#begun.has(uid)) {
      this.#begun.add(uid)
      const { activeDeadlineSeconds = 0 } = job.spec as { activeDeadlineSeconds?: number }
      const late = () => this.#endJob(job, 'DeadlineExceeded')
      if (activeDeadlineSeconds > 0) setTimeout(late, activeDeadlineSeconds * 1000).unref()
      this.#makePod(job)
      return
    }
    const pod = this.#podsOf(uid)[0]
    if (pod?.status?.phase === 'Succeeded') this.#settle(job, 'Complete', 'CompletionsReached')
    if (!pod || pod.status?.phase === 'Failed') this.#settle(job, 'Failed', 'BackoffLimitExceeded')
  }

  #endJob(job: KubernetesObject, reason: string): void {
    const { name, namespace, uid = '' } = job.metadata
    const current = this.#store.get('Job', namespace, name)
    if (!current || current.metadata.uid !== uid || isOver(current)) return
    this.#settle(current, 'Failed', reason)
    for (const pod of this.#podsOf(uid)) this.endPod(pod, graceOf(pod))
  }

  #settle(job: KubernetesObject, type: string, reason: string): void {
    this.#store.put({ ...job, status: { conditions: [{ type, status: 'True', reason }] } })
  }

  #podsOf(uid: string): KubernetesObject[] {
    return this.#store
      .all('Pod')
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
  }

  #collect({ metadata }: KubernetesObject): void {
    for (const one of this.#store.everything()) {
      if (!one.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid)) continue
      if (one.kind === 'Pod') this.endPod(one, graceOf(one))
      else this.#store.delete(one)
    }
  }

  #tend(deployment: KubernetesObject): void {
    const { uid = '' } = deployment.metadata
    const { replicas = 1 } = deployment.spec as { replicas?: number }
    const pods = this.#podsOf(uid).filter(({ metadata }) => !metadata.deletionTimestamp)
    const surplus = pods
      .sort((a, b) => costOf(a) - costOf(b))
      .slice(0, Math.max(0, pods.length - replicas))
    for (const pod of surplus) this.endPod(pod, graceOf(pod))
    for (let count = pods.length; count < replicas; count++) this.#makePod(deployment)
  }

  #makePod(maker: KubernetesObject): void {
    const { metadata, kind, apiVersion } = maker
    const { template } = maker.spec as { template: { metadata: object; spec: object } }
    const problems = restrictedProblems(template.spec as Parameters<typeof restrictedProblems>[0])
    if (problems.length > 0) {
      this.#refusePods(maker, problems)
      return
    }
    const name = `${metadata.name}-${randomUUID().slice(0, 5)}`
    const owner = {
      ...{ apiVersion, kind },
      name: metadata.name,
      uid: metadata.uid ?? '',
    }
    const pod = this.#store.put({
      ...{ apiVersion: 'v1', kind: 'Pod', spec: template.spec as Record<string, unknown> },
      metadata: {
        ...template.metadata,
        ...{
          name,
          namespace: metadata.namespace ?? '',
          ownerReferences: [{ ...owner, controller: true }],
        },
      },
      status: this.#isFull ? UNSCHEDULABLE : { phase: 'Pending' },
    })
    if (!this.#isFull) this.#kubelet.take(pod)
  }

  #refusePods(deployment: KubernetesObject, problems: string[]): void {
    const message = `pods "${deployment.metadata.name}-" is forbidden: violates PodSecurity "restricted:latest": ${problems.join(', ')}`
    const conditions = [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }]
    this.#store.put({ ...deployment, status: { conditions } })
  }
}

const UNSCHEDULABLE = {
  phase: 'Pending',
  conditions: [
    {
      ...{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' },
      message: '0/1 nodes are available: 1 Insufficient memory.',
    },
  ],
}

function isOver({ status }: KubernetesObject): boolean {
  const { conditions = [] } = (status ?? {}) as { conditions?: unknown[] }
  return conditions.length > 0
}

function graceOf({ spec }: KubernetesObject): number {
  return (spec as { terminationGracePeriodSeconds?: number }).terminationGracePeriodSeconds ?? 30
}

/** The cheapest first, then the youngest. */
function costOf({ metadata }: KubernetesObject): number {
  const cost = Number(metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0)
  return cost * 1e6 - Date.parse(metadata.creationTimestamp ?? '') / 1e7
}

function readLog(
  kubelet: Kubelet,
  pod: string,
  container: string,
  { previous, follow }: { previous: boolean; follow: boolean },
  write: (time: string, line: string) => void,
  end: () => void,
): () => void {
  const instance = kubelet.instances(pod, container).at(previous ? -2 : -1)
  for (const { time, line } of instance?.lines ?? []) write(time, line)
  if (!instance || instance.isOver || !follow) {
    end()
    return () => {}
  }
  const listener = (entry: { time: string; line: string } | undefined) =>
    entry ? write(entry.time, entry.line) : end()
  instance.listeners.add(listener)
  return () => instance.listeners.delete(listener)
}

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'stand-in' },
    clusters: [{ name: 'stand-in', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'stand-in', user: { token: 'of-the-stand-in' } }],
    contexts: [{ name: 'stand-in', context: { cluster: 'stand-in', user: 'stand-in' } }],
  })
}
