/**
 * The Kubernetes driver on a real cluster, where TEST_KUBECONFIG names one (`vitest.config.ts` leaves it out elsewhere).
 * Its node is this machine, and has the image `runyard:stand-in`: Node 24 with `test/fixtures/linked-stand-in.js`
 * as its entrypoint, and the package `ws` beside it.
 */
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node'
import { beforeAll } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import type { Artifact } from '../../src/core/deployment/artifact.ts'
import { silentLog } from '../../src/core/log.ts'
import { createKubernetesDriver } from '../../src/runtime/kubernetes/driver.ts'
import { type RuntimeDriverWorld, testRuntimeDriver } from './runtime-driver.ts'

const kubeconfig = process.env.TEST_KUBECONFIG ?? ''
const NAMESPACE = 'runyard-test'

beforeAll(async () => {
  const config = new KubeConfig()
  config.loadFromFile(kubeconfig)
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
  const body = { metadata: { name: NAMESPACE, labels } }
  const api = config.makeApiClient(CoreV1Api)
  await api.createNamespace({ body }).catch((error: { code?: number }) => {
    if (error.code !== 409) throw error
  })
})

async function openWorld(options: {
  healthTimeoutMs: number
}): Promise<RuntimeDriverWorld<Artifact>> {
  const behaviours = new Map<string, string>()
  const driver = createKubernetesDriver({
    kubernetes: {
      ...{ kubeconfig, namespace: NAMESPACE, image: 'runyard:stand-in' },
      ...{ installation: `test-${randomUUID()}`, allow: [], scaling: 'own', ingressFrom: [] },
    },
    ...{ clock: systemClock, log: silentLog, env: {}, dataDir: () => '/nowhere' },
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
