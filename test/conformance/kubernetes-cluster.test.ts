/**
 * The Kubernetes driver on a real cluster, where TEST_KUBECONFIG names one (`vitest.config.ts` leaves it out
 * elsewhere). Its node is this machine, and has the image `runyard:stand-in`: Node 24 at `/opt/runyard/bin/node`, with
 * `test/fixtures/linked-stand-in.js` as its entrypoint, and the package `ws` beside it.
 */
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { CoreV1Api, Exec, KubeConfig } from '@kubernetes/client-node'
import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import type { Artifact } from '../../src/core/deployment/artifacts/artifact.ts'
import type { RuntimeSpec } from '../../src/core/deployment/runtime.ts'
import { silentLog } from '../../src/core/log.ts'
import { createKubernetesDriver } from '../../src/runtime/kubernetes/driver.ts'
import { forEachTest } from '../support/running.ts'
import {
  aDataKey,
  ask,
  type RuntimeDriverWorld,
  testRuntimeDriver,
  until,
  untilHealthy,
} from './runtime-driver.ts'

const kubeconfig = process.env.TEST_KUBECONFIG ?? ''
const NAMESPACE = 'runyard-test'

const config = new KubeConfig()

beforeAll(async () => {
  config.loadFromFile(kubeconfig)
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
  const body = { metadata: { name: NAMESPACE, labels } }
  const api = config.makeApiClient(CoreV1Api)
  await api.createNamespace({ body }).catch((error: { code?: number }) => {
    if (error.code !== 409) throw error
  })
})

async function openWorld(
  options: { healthTimeoutMs?: number } = {},
): Promise<RuntimeDriverWorld<Artifact>> {
  const behaviours = new Map<string, string>()
  const driver = createKubernetesDriver({
    kubernetes: {
      ...{ kubeconfig, namespace: NAMESPACE, image: 'runyard:stand-in' },
      ...{ installation: `test-${randomUUID()}`, allow: [], scaling: 'own', ingressFrom: [] },
    },
    ...{ clock: systemClock, log: silentLog, dataDir: () => '/nowhere', dataKey: aDataKey },
    env: { OPERATOR: 'of the operator' },
    command: { file: process.execPath, args: [] },
    locate: () => {
      throw new Error('Pods find nothing on this machine.')
    },
    artifactAddress: async ({ id }) => ({
      url: 'http://127.0.0.1/artifact',
      digest: `sha256:${behaviours.get(id)?.replaceAll(' ', '-')}`,
    }),
    ...options,
  })
  return {
    driver,
    spec(behaviour, secrets = []) {
      const revision_id = randomUUID()
      behaviours.set(revision_id, behaviour)
      const owner = { deployment_id: randomUUID(), deployment_name: 'stand-in' }
      return {
        ...{ revision_id, ...owner, secrets, resource_spec: null },
        artifact: {
          ...{ kind: 'folder', id: revision_id, config_path: 'langgraph.json' },
          ...{ node_version: null, bundle: null, python: null },
        },
      }
    },
    async kill(revision_id) {
      process.kill(processOf(revision_id), 'SIGKILL')
    },
    async close() {
      await driver.stopAll(0)
      await driver.leave(0)
    },
  }
}

/** The process of the node that was started with the revision's file. */
function processOf(revision_id: string): number {
  const found = readdirSync('/proc').find((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const file = `/proc/${pid}/root/run/runyard/start.json`
      return readFileSync(file, 'utf8').includes(revision_id)
    } catch {
      return false
    }
  })
  if (!found) throw new Error(`no process of ${revision_id}`)
  return Number(found)
}

testRuntimeDriver('The Kubernetes driver on a real cluster', openWorld, { keepsToken: true })

describe('The Kubernetes driver on a real cluster', () => {
  const world = forEachTest(openWorld)

  const startHealthy = async (resource_spec: RuntimeSpec['resource_spec'] = null) => {
    const spec = { ...world.spec('is well'), resource_spec }
    await world.driver.start(spec)
    return { spec, endpoint: await untilHealthy(world.driver, spec.revision_id) }
  }

  it('keeps code in a pod away from the operator, the node, the cluster and other deployments', async () => {
    const { spec } = await startHealthy()
    const { endpoint } = await startHealthy()
    const { server = '' } = config.getCurrentCluster() ?? {}
    const urls = [`${server}/api/v1/secrets`, `https://${new URL(server).hostname}:10250/pods`]
    const seen = await inside(spec, LOOK, { urls: [...urls, endpoint.url] })
    expect(seen).toEqual({
      readable: ['/run/runyard'],
      writable: ['/tmp/mine'],
      variables: [],
      // Its own, the program that looks, and what starts either.
      others: [],
      statuses: [403, 401, 403],
      rights: ['CapEff:\t0000000000000000', 'NoNewPrivs:\t1', 'Seccomp:\t2'],
    })
  })

  it('has its memory bound processes, and nobody else notices', async () => {
    const { spec } = await startHealthy({ memory_mb: 64, memory_limit_mb: 192 })
    const { spec: other, endpoint } = await startHealthy()
    const pid = (await ask(endpoint))?.pid
    await inside(spec, BOMB, {}).catch(() => {})
    expect(await ask(endpoint)).toMatchObject({ pid })
    expect(world.driver.observe(other.revision_id)).toEqual({
      kind: 'healthy',
      endpoints: [endpoint],
    })
    await untilHealthy(world.driver, spec.revision_id)
  })

  it('says why one is gone that took more memory than it may', async () => {
    const limits = { memory_mb: 64, memory_limit_mb: 128 }
    const spec = { ...world.spec('grows at start'), resource_spec: limits }
    await world.driver.start(spec)
    const { reason } = await until(world.driver, spec.revision_id, 'failed')
    expect(reason).toContain('it took more memory than its memory_limit_mb allows')
  })
})

/** Runs a program in the agent server's container, and answers what it prints as JSON. */
async function inside(
  { revision_id }: RuntimeSpec,
  program: string,
  given: object,
): Promise<unknown> {
  const question = { namespace: NAMESPACE, labelSelector: `runyard/revision=${revision_id}` }
  const { items } = await config.makeApiClient(CoreV1Api).listNamespacedPod(question)
  const pod = items[0]?.metadata?.name ?? ''
  const command = ['/opt/runyard/bin/node', '-e', program, JSON.stringify(given)]
  const output = new PassThrough()
  let said = ''
  output.on('data', (chunk) => {
    said += chunk
  })
  const over = Promise.withResolvers<void>()
  const exec = new Exec(config)
  const none = new PassThrough().resume()
  const socket = await exec.exec(NAMESPACE, pod, 'agent', command, output, none, null, false, () =>
    over.resolve(),
  )
  socket.onclose = () => over.resolve()
  await over.promise
  return JSON.parse(said)
}

/** What is told apart by whether it can be read: sockets, tokens, folders of the node and of others. */
const LOOK = `
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
const { readdirSync, readFileSync, statSync, writeFileSync } = require('node:fs')
const { urls } = JSON.parse(process.argv[1])
const can = (work) => { try { work(); return true } catch { return false } }
const look = (path) => statSync(path).isDirectory() ? readdirSync(path) : readFileSync(path)
const sockets = ['/run/containerd/containerd.sock', '/var/run/docker.sock', '/run/podman/podman.sock']
const places = ['/var/run/secrets/kubernetes.io', '/var/lib/kubelet', '/etc/kubernetes', '/root', '/run/runyard']
const readable = [...sockets, ...places].filter((path) => can(() => look(path)))
const writable = ['/mine', '/tmp/mine', '/project/mine', '/run/runyard/mine', '/data/mine', '/proc/sys/kernel/hostname']
  .filter((path) => can(() => writeFileSync(path, '')))
const variables = Object.keys(process.env).filter((name) => /OPERATOR|SECRET|TOKEN|PASSWORD|_KEY/.test(name))
const others = readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).flatMap((pid) => {
  try { return [readFileSync('/proc/' + pid + '/cmdline', 'utf8')] } catch { return [] }
}).filter((line) => !/node|tini|linked-stand-in/.test(line))
const rights = readFileSync('/proc/self/status', 'utf8').split('\\n').filter((line) => /^(CapEff|NoNewPrivs|Seccomp):/.test(line))
const ask = (url) => fetch(url, { signal: AbortSignal.timeout(5000) }).then(({ status }) => status, ({ message }) => message)
Promise.all(urls.map(ask)).then((statuses) =>
  console.log(JSON.stringify({ readable, writable, variables, others, statuses, rights })))
`

/** Processes that do nothing but be there, until no more can be started. */
const BOMB = `
const { spawn } = require('node:child_process')
let count = 0
for (; count < 5000; count++) {
  const child = spawn('/bin/sh', ['-c', 'read x'])
  child.on('error', () => {})
  if (child.pid === undefined) break
}
console.log(JSON.stringify(count))
process.exit()
`
