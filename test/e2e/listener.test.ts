/** A control plane and a listener as processes, before a stand-in for the listener's cluster; both are killed. */
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { NO_REGISTRY, startRegistry, type TestRegistry } from '../support/control-plane/registry.ts'
import { type KubernetesCluster, startKubernetesApi } from '../support/kubernetes/kubernetes-api.ts'
import { freshPostgres } from '../support/postgres/postgres.ts'
import { freePort } from '../support/processes/free-port.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const COMMAND = new URL('../../bin/runyard', import.meta.url).pathname
const AGENT = new URL('../fixtures/plain-agent.js', import.meta.url).pathname
const KEY = 'ry_the_admin_key'
const LIMIT = { timeout: 120_000, interval: 100 }
const headers = { 'x-api-key': KEY, 'content-type': 'application/json' }

interface World {
  dir: string
  registry: TestRegistry
  cluster: KubernetesCluster
  databaseUrl: string
  up: ServeProcess
  listener?: ServeProcess
}

let world: World
beforeAll(async () => {
  if (NO_REGISTRY) return
  const dir = temporaryFolder()
  const registry = await startRegistry()
  const digests = [
    await registry.put('agent', 'v1', 'one'),
    await registry.put('agent', 'v2', 'two'),
  ]
  const images = digests.map(
    (digest) => [`${registry.host}/agent@${digest}`, [process.execPath, AGENT] as const] as const,
  )
  const cluster = await startKubernetesApi(Object.fromEntries(images))
  const databaseUrl = await freshPostgres()
  const up = await startUp(dir, `${await freePort()}`)
  world = { dir, registry, cluster, databaseUrl, up }
})
afterAll(async () => {
  if (NO_REGISTRY) return
  await world.listener?.stop()
  await world.up.stop()
  await world.cluster.stop()
  await world.registry.stop()
  await rm(world.dir, { recursive: true, force: true })
})

function startUp(dir: string, port: string): Promise<ServeProcess> {
  const env = {
    ...{ RUNYARD_DATA_DIR: join(dir, 'up'), RUNYARD_ADMIN_KEY: KEY, RUNYARD_EXAMPLE: '0' },
    ...{ RUNYARD_DASHBOARD: '0', RUNYARD_REGISTRY_ALLOW: 'loopback' },
  }
  return startServeProcess(COMMAND, ['up', '--port', port], { cwd: dir, env })
}

async function startListener(key: string, port: string): Promise<ServeProcess> {
  const { dir, cluster, databaseUrl, up } = world
  const env = {
    ...{ RUNYARD_API_KEY: key, RUNYARD_RUNTIME: 'kubernetes', RUNYARD_URL: up.url },
    ...{ RUNYARD_KUBECONFIG: cluster.kubeconfig, RUNYARD_KUBERNETES_NAMESPACE: 'agents' },
    ...{ RUNYARD_DATABASE_URL: databaseUrl, RUNYARD_DATA_DIR: join(dir, 'listener') },
    RUNYARD_AGENT_DATABASE_URL: asPodsReachIt(databaseUrl),
  }
  world.listener = await startServeProcess(COMMAND, ['listener', '--port', port], { cwd: dir, env })
  return world.listener
}

/** The tests' PostgreSQL is on the loopback, which a listener refuses for pods. This stand-in's pods open no database. */
function asPodsReachIt(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.hostname = 'database.test'
  url.searchParams.delete('host')
  return url.href
}

async function call(method: string, path: string, body?: unknown) {
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
  const response = await fetch(world.up.url + path, init)
  const text = await response.text()
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as any }
}

async function kill({ process }: ServeProcess): Promise<void> {
  const exited = once(process, 'exit')
  process.kill('SIGKILL')
  await exited
}

const imageOf = (tag: string) => ({ image_uri: `${world.registry.host}/agent:${tag}` })
const portOf = (url: string) => new URL(url).port

it.skipIf(NO_REGISTRY)(
  `runs a deployment in another cluster, through its listener${NO_REGISTRY && ` (${NO_REGISTRY})`}`,
  async () => {
    const { body: created } = await call('POST', '/v2/listeners', {
      ...{ compute_type: 'k8s', compute_id: 'east' },
      compute_config: { k8s_namespaces: ['agents'] },
    })
    let listener = await startListener(created.key, `${await freePort()}`)
    const deployment = await call('POST', '/v2/deployments', {
      ...{ name: 'east', source: 'external_docker' },
      source_config: {
        ...{ resource_spec: {}, listener_id: created.id },
        listener_config: { k8s_namespace: 'agents' },
      },
      source_revision_config: imageOf('v1'),
      secrets: [{ name: 'MODEL_KEY', value: 'the-secret' }],
    })
    const path = `/v2/deployments/${deployment.body.id}`
    const untilDeployed = (id: string) =>
      expect
        .poll(async () => (await call('GET', `${path}/revisions/${id}`)).body.status, LIMIT)
        .toBe('DEPLOYED')
    await untilDeployed(deployment.body.latest_revision_id)
    const { url } = (await call('GET', path)).body
    expect(url).toBe(`${listener.url}/agents/east`)
    const ask = () => fetch(`${url}/threads`, { headers })
    // The listener hears a moment after the record that its gateway is to serve it.
    await expect.poll(async () => (await ask()).status, LIMIT).toBe(200)
    expect(await (await ask()).json()).toEqual({ path: '/threads', has_key: true })
    expect((await fetch(`${url}/threads`)).status).toBe(401)
    expect((await call('GET', '/agents/east/threads')).body.detail).toContain(`Call it at ${url}`)

    const { body: patched } = await call('PATCH', path, { source_revision_config: imageOf('v2') })
    await untilDeployed(patched.latest_revision_id)
    const revisionOf = async () => (await ask()).headers.get('x-runyard-revision')
    await expect.poll(revisionOf, LIMIT).toBe(patched.latest_revision_id)

    // Domains and a public deployment hold at the listener, over restarts of either side.
    const host = 'agents.example.com'
    const atHost = async (key?: string) => {
      const asked = request({ port: portOf(listener.url), path: '/threads' })
      asked.setHeader('host', host)
      if (key) asked.setHeader('x-api-key', key)
      const [answer] = await once(asked.end(), 'response')
      answer.resume()
      return answer.statusCode
    }
    const added = await call('POST', `${path}/domains`, { host })
    expect(added).toMatchObject({
      status: 201,
      body: { url: `http://${host}:${portOf(listener.url)}` },
    })
    await expect.poll(() => atHost(KEY), LIMIT).toBe(200)
    expect(await atHost()).toBe(401)
    await call('PATCH', path, { is_public: true })
    await expect.poll(() => atHost(), LIMIT).toBe(200)

    await kill(world.up)
    expect(await revisionOf()).toBe(patched.latest_revision_id)
    world.up = await startUp(world.dir, portOf(world.up.url))
    await expect
      .poll(async () => (await call('GET', `${path}/runtime`)).body.replicas?.[0]?.state, LIMIT)
      .toBe('healthy')

    await kill(listener)
    listener = await startListener(created.key, portOf(listener.url))
    await expect.poll(revisionOf, LIMIT).toBe(patched.latest_revision_id)
    expect(await atHost()).toBe(200)

    expect((await call('DELETE', path)).status).toBe(204)
    await expect.poll(() => world.cluster.objects('Secret').length, LIMIT).toBe(0)
    await expect.poll(() => world.cluster.objects('Pod').length, LIMIT).toBe(0)
  },
)
