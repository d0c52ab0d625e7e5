/** What is looked at of a cluster before anything is deployed to it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { KubernetesSettings } from '../../src/core/deployment/kubernetes-settings.ts'
import { silentLog } from '../../src/core/log.ts'
import { requireCluster } from '../../src/runtime/kubernetes/require-cluster.ts'
import { type KubernetesCluster, startKubernetesApi } from '../support/kubernetes/kubernetes-api.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let cluster: KubernetesCluster
let dir: string
beforeEach(async () => {
  dir = temporaryFolder()
  cluster = await startKubernetesApi({})
})
afterEach(async () => {
  await cluster.stop()
})

const check = (settings: Partial<KubernetesSettings> = {}) =>
  requireCluster(
    {
      ...{ kubeconfig: cluster.kubeconfig, namespace: 'agents', image: 'runyard' },
      ...{ installation: 'test', allow: [], scaling: 'own', ingressFrom: [] },
      ...settings,
    },
    silentLog,
  )

it('makes the namespace for agents where it is missing, and leaves one that is there', async () => {
  await check()
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
  const made = cluster.objects('Namespace')
  expect(made).toMatchObject([{ metadata: { name: 'agents', labels } }])
  await check()
  expect(cluster.objects('Namespace')).toEqual(made)
})

it('leaves the namespaces of workspaces to their first pod', async () => {
  await check({ namespace: 'agents-{workspace_id}' })
  expect(cluster.objects('Namespace')).toEqual([])
})

it('says which setting is wrong where no namespace can be had', async () => {
  cluster.forbid('namespaces', 'secrets')
  await expect(check()).rejects.toThrow(
    /^RUNYARD_KUBERNETES_NAMESPACE: the namespace agents is not there, .* Run "kubectl create namespace agents"/,
  )
})

it('is content with the rights of the namespace alone', async () => {
  cluster.forbid('namespaces')
  await check()
})

it('says which setting is wrong where no cluster is named', async () => {
  await expect(check({ kubeconfig: undefined })).rejects.toThrow(
    'this process runs in no pod of a cluster. Name the file of a cluster in RUNYARD_KUBECONFIG.',
  )
  const none = join(dir, 'none')
  await expect(check({ kubeconfig: none })).rejects.toThrow(
    `RUNYARD_KUBECONFIG: ${none} cannot be read.`,
  )
  await writeFile(none, '{')
  await expect(check({ kubeconfig: none })).rejects.toThrow('is no configuration of a cluster')
})
