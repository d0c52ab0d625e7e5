/** A Runyard image, started without Runyard: as a container of an engine, or a Deployment of a cluster. */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { AppsV1Api, CoreV1Api, KubeConfig, type V1PodSpec } from '@kubernetes/client-node'
import { openEngine as connect } from '../src/runtime/docker/engine.ts'
import { duration } from './clock.ts'

export interface ByHand {
  /** The names of both floors. */
  created: string
  started: string
  /** Milliseconds until it answers, from the image alone; removes it afterwards. */
  create(): Promise<number>
  /** The same from a stopped one; stops it afterwards. */
  start(): Promise<number>
  close(): Promise<void>
}

const PORT = 8000
const POLL_MS = 20
const ARGUMENTS = ['serve', '--host', '0.0.0.0', '--port', String(PORT), '--data-dir', '/tmp/data']

/** The engine that `RUNYARD_DOCKER_HOST` names. */
export async function openEngine(image: string): Promise<ByHand> {
  const { docker } = connect({ host: process.env.RUNYARD_DOCKER_HOST })
  const create = () =>
    docker.createContainer({
      ...{ Image: image, Cmd: ARGUMENTS, WorkingDir: '/project' },
      ExposedPorts: { [`${PORT}/tcp`]: {} },
      HostConfig: {
        ...{ ReadonlyRootfs: true, Tmpfs: { '/tmp': 'rw,mode=1777' }, CapDrop: ['ALL'] },
        PortBindings: { [`${PORT}/tcp`]: [{ HostIp: '127.0.0.1', HostPort: '' }] },
      },
    })
  const answered = async (container: Awaited<ReturnType<typeof create>>) => {
    await container.start()
    const { NetworkSettings } = await container.inspect()
    await untilOk(`127.0.0.1:${NetworkSettings.Ports[`${PORT}/tcp`]?.[0]?.HostPort}`)
  }
  let kept: Awaited<ReturnType<typeof create>> | undefined
  return {
    created: 'docker run',
    started: 'docker start',
    async create() {
      let made: typeof kept
      const taken = await duration(async () => {
        made = await create()
        await answered(made)
      })
      await made?.remove({ force: true })
      return taken
    },
    async start() {
      kept ??= await create()
      const container = kept
      const taken = await duration(() => answered(container))
      await container.stop()
      return taken
    },
    close: async () => kept?.remove({ force: true }),
  }
}

/** The cluster that `RUNYARD_KUBECONFIG` names. */
export async function openCluster(image: string): Promise<ByHand> {
  const config = new KubeConfig()
  config.loadFromFile(process.env.RUNYARD_KUBECONFIG ?? '')
  const core = config.makeApiClient(CoreV1Api)
  const apps = config.makeApiClient(AppsV1Api)
  const namespace = `bench-${randomUUID().slice(0, 8)}`
  await core.createNamespace({ body: { metadata: { name: namespace } } })
  const question = (name: string) => ({ namespace, labelSelector: `app=${name}` })
  const apply = (name: string, replicas: number) => {
    const labels = { app: name }
    const template = { metadata: { labels }, spec: podOf(image) }
    const spec = { replicas, selector: { matchLabels: labels }, template }
    return apps.createNamespacedDeployment({ namespace, body: { metadata: { name }, spec } })
  }
  const answered = async (name: string) => {
    for (;;) {
      const { items } = await core.listNamespacedPod(question(name))
      const ip = items[0]?.status?.podIP
      if (ip) return untilOk(`${ip}:${PORT}`)
      await delay(POLL_MS)
    }
  }
  const scale = (name: string, value: number) => {
    const body = [{ op: 'replace', path: '/spec/replicas', value }]
    return apps.patchNamespacedDeploymentScale({ name, namespace, body })
  }
  const untilNoPods = async (name: string) => {
    while ((await core.listNamespacedPod(question(name))).items.length > 0) await delay(POLL_MS)
  }
  let isKept = false
  return {
    created: 'kubectl apply',
    started: 'kubectl scale',
    async create() {
      const name = `one-${randomUUID().slice(0, 8)}`
      const taken = await duration(async () => {
        await apply(name, 1)
        await answered(name)
      })
      await apps.deleteNamespacedDeployment({ name, namespace })
      await untilNoPods(name)
      return taken
    },
    async start() {
      if (!isKept) await apply('kept', 0)
      isKept = true
      const taken = await duration(async () => {
        await scale('kept', 1)
        await answered('kept')
      })
      await scale('kept', 0)
      await untilNoPods('kept')
      return taken
    },
    async close() {
      await core.deleteNamespace({ name: namespace })
    },
  }
}

function podOf(image: string): V1PodSpec {
  return {
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        ...{ name: 'agent', image, imagePullPolicy: 'IfNotPresent', args: ARGUMENTS },
        ...{ workingDir: '/project', volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }] },
        securityContext: { readOnlyRootFilesystem: true },
      },
    ],
    volumes: [{ name: 'tmp', emptyDir: {} }],
  }
}

async function untilOk(address: string): Promise<void> {
  const ask = () =>
    fetch(`http://${address}/ok`, { signal: AbortSignal.timeout(2000) }).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await ask())) await delay(POLL_MS)
}
