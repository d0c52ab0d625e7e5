/** `deploy/kubernetes`, as far as it can be looked at without a cluster. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  loadAllYaml,
  type V1ConfigMap,
  type V1Deployment,
  type V1Role,
} from '@kubernetes/client-node'
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../src/settings/table.ts'

const ROOT = resolve(import.meta.dirname, '../deploy/kubernetes')
const FOLDERS = ['.', 'base', 'components/image', 'components/ingress', 'components/gateway-api']
const ALL = [...FOLDERS, 'overlays/try', 'overlays/listener']

interface Kustomization {
  resources?: string[]
  components?: string[]
}

const read = (path: string): unknown[] => loadAllYaml(readFileSync(join(ROOT, path), 'utf8'))
const kustomization = (folder: string) =>
  read(join(folder, 'kustomization.yaml'))[0] as Kustomization

/** What lies in a folder, by kind and name. */
function find<T>(folder: string, kind: string, name: string): T {
  const files = readdirSync(join(ROOT, folder)).filter((file) => file !== 'kustomization.yaml')
  const all = files.flatMap((file) => read(join(folder, file))) as {
    kind: string
    metadata: { name: string }
  }[]
  return all.find((one) => one.kind === kind && one.metadata.name === name) as T
}

describe.each(ALL)('the folder %s of the manifests', (folder) => {
  it('names what is there, and all of it', () => {
    const { resources = [], components = [] } = kustomization(folder)
    for (const path of [...resources, ...components]) {
      expect(existsSync(join(ROOT, folder, path)), path).toBe(true)
    }
    const files = readdirSync(join(ROOT, folder)).filter((name) => /\.yaml$/.test(name))
    const own = resources.filter((path) => path.endsWith('.yaml'))
    expect([...own, 'kustomization.yaml'].toSorted()).toEqual(files.toSorted())
  })
})

describe.each([
  ['base', 'runyard'],
  ['overlays/try', 'postgres'],
])('the pods of %s', (folder, name) => {
  const { spec } = find<V1Deployment>(folder, 'Deployment', name)
  const pod = spec?.template.spec

  it('are what the security standard `restricted` lets in, with a root that nothing writes to', () => {
    expect(pod?.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    for (const { securityContext } of pod?.containers ?? []) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    }
  })

  it('have what their selector, their probes and their volumes name', () => {
    expect(spec?.template.metadata?.labels).toMatchObject(spec?.selector.matchLabels ?? {})
    const volumes = pod?.volumes?.map((volume) => volume.name)
    for (const { ports, volumeMounts = [], readinessProbe } of pod?.containers ?? []) {
      for (const mount of volumeMounts) expect(volumes).toContain(mount.name)
      const asked = readinessProbe?.httpGet?.port
      if (asked) expect(ports?.map((port) => port.name)).toContain(asked)
    }
  })
})

it('sets only what Runyard reads, and nothing that is secret', () => {
  const { data = {} } = find<V1ConfigMap>('base', 'ConfigMap', 'runyard')
  const known = new Map(SETTINGS.map((setting) => [setting.name as string, setting]))
  for (const name of Object.keys(data)) {
    expect(known.get(name)?.readBy, name).toContain('up')
    expect(known.get(name), name).not.toHaveProperty('isSecret')
  }
})

/** What the runtime driver and builds do (`src/runtime/kubernetes`), by group and resource. */
const NEEDED: Record<string, string[]> = {
  '/secrets': ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  '/services': ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  'apps/deployments': ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  'batch/jobs': ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  'networking.k8s.io/networkpolicies': ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  'policy/poddisruptionbudgets': ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  'autoscaling/horizontalpodautoscalers': ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  '/pods': ['get', 'list', 'watch', 'patch', 'delete'],
  '/pods/log': ['get'],
  '/events': ['list'],
}

it('may do what the runtime driver does, in the namespace of agents, and nothing else', () => {
  const { rules = [], metadata } = find<V1Role>('base', 'Role', 'runyard')
  const granted = rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    resources.map((resource) => [`${apiGroups[0]}/${resource}`, verbs] as const),
  )
  expect(Object.fromEntries(granted)).toEqual(NEEDED)
  expect(metadata?.namespace).toBe('runyard-agents')
})
