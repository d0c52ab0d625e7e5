import { describe, expect, it } from 'vitest'
import { schemaProblems } from '../../../../test/support/kubernetes/schema.ts'
import type { Artifact } from '../../../core/deployment/artifacts/artifact.ts'
import type { Allowance } from '../../../core/deployment/kubernetes-settings.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { StartMessage } from '../../../link/messages.ts'
import {
  buildAutoscaler,
  buildDeployment,
  buildDisruptionBudget,
  buildService,
} from './deployment.ts'
import { namespaceFor, ownerOf } from './names.ts'
import { buildNetworkPolicy } from './network-policy.ts'
import { resourcesOf } from './pod.ts'
import { buildPullSecret, buildSecret, readSecret } from './secret.ts'

const revision = {
  revision_id: '6f1f6cf0-1a53-4a5e-9c3e-3f3f4a1f1a11',
  deployment_id: '0a1f6cf0-1a53-4a5e-9c3e-3f3f4a1f1a11',
  deployment_name: 'support',
  installation: 'main',
  record: undefined,
  namespace: 'agents',
}
const start: StartMessage = {
  type: 'start',
  deployment_id: revision.deployment_id,
  deployment_name: revision.deployment_name,
  revision_id: revision.revision_id,
  secrets: { MODEL_KEY: 'the-secret' },
  gatewayToken: 'the-token',
}
const folder: Artifact = {
  kind: 'folder',
  id: revision.revision_id,
  node_version: null,
  config_path: 'agent/langgraph.json',
  bundle: null,
  python: null,
}
const image: Artifact = { kind: 'image', image_uri: 'registry.example.com/agent@sha256:c0ffee' }
const login = { username: 'puller', password: 'of-the-registry' }
const owner = ownerOf({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'agent-x', uid: 'u' } })

function deploymentOf(
  resource_spec: JsonObject | null = null,
  {
    artifact = folder,
    allow = [],
    hasPullSecret = false,
  }: { artifact?: Artifact; allow?: Allowance[]; hasPullSecret?: boolean } = {},
) {
  return buildDeployment(revision, owner, {
    artifact,
    resource_spec,
    isLinked: artifact.kind === 'folder' || artifact.is_linked === true,
    variables: ['MODEL_KEY'],
    env: { TZ: 'UTC' },
    address: { url: 'https://runyard.example.com/artifact', digest: 'sha256:c0ffee' },
    hasPullSecret,
    graceSeconds: 90,
    replicas: 2,
    settings: { image: 'runyard:1', allow },
  })
}

type Sent = Parameters<typeof schemaProblems>[0]

/** As the client writes it: `from` is called otherwise in its types. */
function asSent(object: { kind?: string; apiVersion?: string }): Sent {
  return JSON.parse(JSON.stringify(object).replaceAll('"_from"', '"from"'))
}

const podOf = (...given: Parameters<typeof deploymentOf>) =>
  deploymentOf(...given).spec?.template.spec

describe('the objects of a revision', () => {
  it('are such as Kubernetes has published', () => {
    const objects = [
      buildSecret(revision, { start, isLinked: true }),
      buildSecret(revision, { start, isLinked: false }),
      buildPullSecret(revision, owner, { image_uri: 'team/agent:1', login }),
      buildService(revision, owner),
      buildDisruptionBudget(revision, owner),
      buildAutoscaler(revision, owner, { min: 0, max: 4 }),
      deploymentOf(),
      deploymentOf(null, { artifact: image }),
      buildNetworkPolicy(revision, owner, { controlPlaneNamespace: 'runyard', ingressFrom: [] }),
    ]
    for (const object of objects) expect(schemaProblems(asSent(object))).toEqual([])
    const unknown = { ...buildService(revision, owner), spek: {} }
    expect(schemaProblems(unknown as Sent)).toEqual(['unknown field "spek"'])
  })

  it('show a secret only in the Secret', () => {
    for (const artifact of [folder, image]) {
      const seen = JSON.stringify(deploymentOf(null, { artifact }))
      expect(seen).not.toContain('the-secret')
      expect(seen).not.toContain('the-token')
      expect(seen).not.toContain('runyard.example.com')
    }
    expect(readSecret(buildSecret(revision, { start, isLinked: true }))).toEqual(start)
  })

  it('hand a project’s variables to an image of somebody else as its environment', () => {
    const linked = podOf()?.containers[0]?.env?.map(({ name }) => name)
    expect(linked).toEqual(['TZ', 'PORT', 'RUNYARD_START_FILE'])
    const plain = podOf(null, { artifact: image })?.containers[0]?.env?.map(({ name }) => name)
    expect(plain).toEqual(['TZ', 'PORT', 'MODEL_KEY'])
    expect(buildSecret(revision, { start, isLinked: false }).data).toMatchObject({
      MODEL_KEY: Buffer.from('the-secret').toString('base64'),
    })
  })

  it('have a private image pulled with its login, which no container sees', () => {
    const image_uri = `registry.example.com/agent@sha256:${'c0'.repeat(32)}`
    const { metadata, data } = buildPullSecret(revision, owner, { image_uri, login })
    const text = Buffer.from(data?.['.dockerconfigjson'] ?? '', 'base64').toString()
    expect(JSON.parse(text)).toEqual({ auths: { 'registry.example.com': login } })
    const resource_spec = { image_pull_secrets: [{ name: 'registry' }] }
    const pod = podOf(resource_spec, { artifact: image, hasPullSecret: true })
    expect(pod?.imagePullSecrets).toEqual([{ name: metadata?.name }, { name: 'registry' }])
    expect(JSON.stringify(pod?.containers)).not.toContain(metadata?.name)
  })

  it('have a project fetched and run in the image that was built for it, where there is one', () => {
    const image_uri = `registry.example.com/team/d/built@sha256:${'c0'.repeat(32)}`
    const pod = podOf(null, { artifact: { ...folder, image_uri }, hasPullSecret: true })
    const all = [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])]
    expect(all.map((one) => [one.name, one.image])).toEqual([
      ['fetch', image_uri],
      ['agent', image_uri],
    ])
    expect(pod?.containers[0]?.args).toContain('/project/agent/langgraph.json')
    expect(pod?.imagePullSecrets).toHaveLength(1)
  })

  it('keep to the pod security standard "restricted"', () => {
    const pod = podOf({ sidecars: [{ name: 'proxy', image: 'proxy:1' }] })
    expect(pod?.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    for (const one of [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])]) {
      expect(one.securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        privileged: false,
      })
    }
    expect(pod?.automountServiceAccountToken).toBe(false)
    expect(pod?.hostNetwork).toBeUndefined()
  })

  it('let nobody but the control plane in', () => {
    const policy = buildNetworkPolicy(revision, owner, {
      controlPlaneNamespace: 'runyard',
      ingressFrom: ['10.0.0.0/8'],
    })
    expect(policy.spec?.ingress?.[0]?._from).toMatchObject([
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'runyard' } } },
      { ipBlock: { cidr: '10.0.0.0/8' } },
    ])
    expect(JSON.stringify(policy.spec?.egress)).toContain('169.254.0.0/16')
  })

  it('have a namespace for each workspace where the operator says so', () => {
    expect(namespaceFor('agents', 'w1')).toBe('agents')
    expect(namespaceFor('agents-{workspace_id}', 'w1')).toBe('agents-w1')
  })
})

describe('resource_spec', () => {
  it('sets aside what is asked for, and allows twice as much', () => {
    expect(resourcesOf({ cpu: 0.5, memory_mb: 512 })).toEqual({
      requests: { cpu: '500m', memory: '512Mi' },
      limits: { cpu: '1000m', memory: '1024Mi' },
    })
    expect(resourcesOf(null)).toEqual({ requests: { cpu: '100m', memory: '256Mi' }, limits: {} })
    expect(resourcesOf({ memory_limit_mb: 128 })).toMatchObject({
      requests: { memory: '128Mi' },
      limits: { memory: '128Mi' },
    })
  })

  it('brings labels, pull secrets, volumes, init containers and sidecars to the pods', () => {
    const deployment = deploymentOf({
      labels: { team: 'support' },
      annotations: { 'example.com/note': 'two words' },
      image_pull_secrets: [{ name: 'registry' }],
      volumes: [{ name: 'models', persistentVolumeClaim: { claimName: 'models' }, secret: null }],
      volume_mounts: [{ name: 'models', mountPath: '/models', subPath: null }],
      init_containers: [{ name: 'warm', image: 'warm:1', restartPolicy: 'Always' }],
      sidecars: [
        { name: 'proxy', image: 'proxy:1', volumeMounts: [{ name: 'models', mountPath: '/m' }] },
      ],
    })
    const template = deployment.spec?.template
    expect(schemaProblems(asSent(deployment))).toEqual([])
    expect(template?.metadata?.labels).toMatchObject({ team: 'support' })
    expect(template?.metadata?.annotations).toMatchObject({ 'example.com/note': 'two words' })
    expect(template?.spec?.imagePullSecrets).toEqual([{ name: 'registry' }])
    expect(template?.spec?.initContainers?.map(({ name }) => name)).toEqual(['fetch', 'warm'])
    expect(template?.spec?.containers.map(({ name }) => name)).toEqual(['agent', 'proxy'])
    expect(template?.spec?.containers[0]?.volumeMounts).toContainEqual({
      name: 'models',
      mountPath: '/models',
    })
  })

  it.each<[string, JsonObject, Allowance]>([
    ['volumes[0].hostPath', { volumes: [{ name: 'v', hostPath: { path: '/' } }] }, 'host_path'],
    ['volumes[0].nfs', { volumes: [{ name: 'v', nfs: { server: 's', path: '/' } }] }, 'nfs'],
    ['volumes[0].csi', { volumes: [{ name: 'v', csi: { driver: 'd' } }] }, 'csi'],
    ['volumes[0].projected', { volumes: [{ name: 'v', projected: {} }] }, 'projected'],
    ['service_account_name', { service_account_name: 'robot' }, 'service_account'],
    [
      'sidecars[0].securityContext.runAsUser',
      { sidecars: [{ name: 's', image: 'i', securityContext: { runAsUser: 0 } }] },
      'any_user',
    ],
  ])('asks the operator for %s', (field, resource_spec, allowance) => {
    expect(() => deploymentOf(resource_spec)).toThrow(
      `resource_spec.${field} is refused: the operator has to allow it with ${allowance} in RUNYARD_KUBERNETES_ALLOW.`,
    )
    expect(deploymentOf(resource_spec, { allow: [allowance] })).toBeDefined()
  })

  it.each<[string, JsonObject]>([
    ['volumes[0].iscsi', { volumes: [{ name: 'v', iscsi: {} }] }],
    ['volumes[0]', { volumes: [{ name: 'v', secret: { secretName: 'agent-other' } }] }],
    ['volumes[0].name', { volumes: [{ name: 'start', emptyDir: {} }] }],
    ['volumes', { volumes: 'all' }],
    ['volume_mounts[0].name', { volume_mounts: [{ name: 'start', mountPath: '/s' }] }],
    [
      'volume_mounts',
      {
        volumes: [{ name: 'v', emptyDir: {} }],
        volume_mounts: [{ name: 'v', mountPath: '/run' }],
      },
    ],
    ['sidecars[0].name', { sidecars: [{ name: 'agent', image: 'i' }] }],
    ['sidecars[0].image', { sidecars: [{ name: 's' }] }],
    ['sidecars[0].hostPort', { sidecars: [{ name: 's', image: 'i', hostPort: 80 }] }],
    [
      'sidecars[0].securityContext.privileged',
      { sidecars: [{ name: 's', image: 'i', securityContext: { privileged: true } }] },
    ],
    [
      'sidecars[0].securityContext.capabilities',
      {
        sidecars: [{ name: 's', image: 'i', securityContext: { capabilities: { add: ['ALL'] } } }],
      },
    ],
    [
      'init_containers[0]',
      {
        init_containers: [
          { name: 's', image: 'i', envFrom: [{ secretRef: { name: 'agent-other' } }] },
        ],
      },
    ],
    [
      'sidecars[0].restartPolicy',
      { sidecars: [{ name: 's', image: 'i', restartPolicy: 'Never' }] },
    ],
    ['labels["runyard/revision"]', { labels: { 'runyard/revision': 'x' } }],
    ['labels["app.kubernetes.io/name"]', { labels: { 'app.kubernetes.io/name': 'runyard' } }],
    ['labels["team"]', { labels: { team: 'two words' } }],
    ['annotations["a b"]', { annotations: { 'a b': 'c' } }],
    ['image_pull_secrets[0].name', { image_pull_secrets: [{ name: 'A B' }] }],
    ['image_pull_secrets[0]', { image_pull_secrets: [{ name: 'agent-of-another-pull' }] }],
  ])('refuses %s, whatever the operator allows', (field, resource_spec) => {
    const allow: Allowance[] = ['any_user', 'csi', 'host_path', 'nfs', 'projected']
    expect(() => deploymentOf(resource_spec, { allow })).toThrow(
      `resource_spec.${field} is refused`,
    )
  })
})
