import { expect, it } from 'vitest'
import { restrictedProblems } from '../../../../test/support/kubernetes/admission.ts'
import { schemaProblems } from '../../../../test/support/kubernetes/schema.ts'
import type { BuildTask } from '../../../core/deployment/builds/job.ts'
import {
  EMPTY_REVISION_CONFIG,
  EMPTY_SOURCE_CONFIG,
} from '../../../core/deployment/sources/config.ts'
import { buildJobObject, buildJobPolicy, buildJobSecret } from './build-job.ts'
import { ownerOf } from './names.ts'

const build = {
  ...{ revision_id: 'r1', deployment_id: 'd1' },
  ...{ installation: 'main', record: 'the-record', namespace: 'agents' },
}
const limits = { commandMs: 900_000, maxMemoryBytes: 4096 * 1024 ** 2, cpus: 2 }
const job = buildJobObject(build, { image: 'runyard', limits, commit: 'c0ffee' })
const owner = ownerOf({ ...job, metadata: { ...job.metadata, uid: 'u' } })
const task: BuildTask = {
  request: {
    ...{ revision_id: 'r1', deployment_id: 'd1', source: 'internal_source' },
    ...{ source_config: EMPTY_SOURCE_CONFIG, source_revision_config: EMPTY_REVISION_CONFIG },
    secrets: [{ name: 'KEY', value: 'its-secret' }],
  },
  source: { url: 'http://home.test/source', digest: 'a'.repeat(64) },
  uploadUrl: 'http://home.test/built',
  settings: { env: { PIP_INDEX_URL: 'https://user:password@index.test/' }, files: {} },
  limits,
}

it('is what Kubernetes knows, and what the security standard `restricted` lets in', () => {
  const all = [job, buildJobPolicy(build, owner), buildJobSecret(build, owner, task)]
  for (const object of all) {
    const { apiVersion = '', kind = '' } = object
    expect(schemaProblems({ ...object, apiVersion, kind })).toEqual([])
  }
  const pod = job.spec?.template.spec
  expect(restrictedProblems(pod as Parameters<typeof restrictedProblems>[0])).toEqual([])
  expect(pod).toMatchObject({ automountServiceAccountToken: false, restartPolicy: 'Never' })
})

it('has limits, is tried once, and is removed by the cluster in any case', () => {
  expect(job.spec).toMatchObject({
    ...{ backoffLimit: 0, activeDeadlineSeconds: 2700, ttlSecondsAfterFinished: 3600 },
  })
  expect(job.spec?.template.spec?.containers[0]?.resources?.limits).toEqual({
    ...{ cpu: '2000m', memory: '4608Mi', 'ephemeral-storage': '20Gi' },
  })
})

it('has all that is secret in its Secret, which no other pod may mount and goes with it, as all else does', () => {
  const policy = buildJobPolicy(build, owner)
  expect(JSON.stringify([job, policy])).not.toMatch(/its-secret|password|home\.test/)
  const secret = buildJobSecret(build, owner, task)
  expect([secret, policy].map(({ metadata }) => metadata?.ownerReferences?.[0]?.name)).toEqual([
    ...['agent-build-r1', 'agent-build-r1'],
  ])
})

it('lets nobody in', () => {
  expect(buildJobPolicy(build, owner).spec).toMatchObject({
    ...{ ingress: [], policyTypes: ['Ingress', 'Egress'] },
    podSelector: { matchLabels: { 'runyard/build': 'r1' } },
  })
  expect(job.spec?.template.metadata?.labels).toMatchObject({ 'runyard/build': 'r1' })
})
