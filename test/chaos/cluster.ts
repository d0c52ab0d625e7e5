/** What happens to a cluster on this machine: pods deleted, a node drained, parts of it that stand still. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { AppsV1Api, BatchV1Api, CoreV1Api, KubeConfig } from '@kubernetes/client-node'

const LOOK_MS = 200
const MANAGED = 'app.kubernetes.io/managed-by=runyard'

export class RealCluster {
  readonly #core: CoreV1Api
  readonly #apps: AppsV1Api
  readonly #batch: BatchV1Api
  readonly #config = new KubeConfig()
  readonly namespace: string

  constructor(kubeconfig: string, namespace: string) {
    this.#config.loadFromFile(kubeconfig)
    this.#core = this.#config.makeApiClient(CoreV1Api)
    this.#apps = this.#config.makeApiClient(AppsV1Api)
    this.#batch = this.#config.makeApiClient(BatchV1Api)
    this.namespace = namespace
  }

  async createNamespace(): Promise<void> {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
    await this.#core.createNamespace({ body: { metadata: { name: this.namespace, labels } } })
  }

  async removeNamespace(): Promise<void> {
    await this.#core.deleteNamespace({ name: this.namespace })
  }

  /** The names of the pods that are not on their way to their end. */
  async pods(): Promise<string[]> {
    const { namespace } = this
    const { items } = await this.#core.listNamespacedPod({ namespace, labelSelector: MANAGED })
    const there = items.filter(({ metadata }) => !metadata?.deletionTimestamp)
    return there.map(({ metadata }) => metadata?.name ?? '')
  }

  /** Where the pods are. */
  async addresses(): Promise<string[]> {
    const { namespace } = this
    const { items } = await this.#core.listNamespacedPod({ namespace, labelSelector: MANAGED })
    return items.flatMap(({ status }) => status?.podIP ?? [])
  }

  /** How many objects of Runyard's there are, of the kinds that own all others. */
  async left(): Promise<{ secrets: number; deployments: number; pods: number }> {
    const question = { namespace: this.namespace, labelSelector: MANAGED }
    const secrets = (await this.#core.listNamespacedSecret(question)).items.length
    const deployments = (await this.#apps.listNamespacedDeployment(question)).items.length
    const pods = (await this.#core.listNamespacedPod(question)).items.length
    return { secrets, deployments, pods }
  }

  /** The Jobs of builds, and how many pods each has at work. */
  async jobs(): Promise<{ name: string; active: number }[]> {
    const { namespace } = this
    const { items } = await this.#batch.listNamespacedJob({ namespace, labelSelector: MANAGED })
    return items.map(({ metadata, status }) => ({
      name: metadata?.name ?? '',
      active: status?.active ?? 0,
    }))
  }

  async deletePod(name: string): Promise<void> {
    await this.#core.deleteNamespacedPod({ name, namespace: this.namespace })
  }

  /** As `kubectl drain` does, within the disruption budgets; pods find no node until `uncordon`. */
  async drain(): Promise<void> {
    await this.#cordon(true)
    for (const name of await this.pods()) await this.#evict(name)
  }

  async uncordon(): Promise<void> {
    await this.#cordon(false)
  }

  async #cordon(unschedulable: boolean): Promise<void> {
    const { items } = await this.#core.listNode()
    for (const { metadata } of items) {
      const body = [{ op: 'add', path: '/spec/unschedulable', value: unschedulable }]
      await this.#core.patchNode({ name: metadata?.name ?? '', body })
    }
  }

  /** A budget that forbids it for now answers 429, and is asked again for a while. */
  async #evict(name: string): Promise<void> {
    const body = { metadata: { name, namespace: this.namespace } }
    for (let tries = 0; tries < 50; tries += 1) {
      try {
        await this.#core.createNamespacedPodEviction({ name, namespace: this.namespace, body })
        return
      } catch (error) {
        const { code } = error as { code?: number }
        if (code === 404) return
        if (code !== 429) throw error
        await wait(LOOK_MS)
      }
    }
  }
}

/** Has a program of this machine stand still for so long: `kubelet`, `kube-apiserver`. */
export async function pause(program: string, ms: number): Promise<void> {
  const pid = processOf(program)
  process.kill(pid, 'SIGSTOP')
  try {
    await wait(ms)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

function processOf(program: string): number {
  const found = readdirSync('/proc').find((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const [file = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return basename(file) === program
    } catch {
      return false
    }
  })
  if (found === undefined) throw new Error(`${program} does not run on this machine`)
  return Number(found)
}
