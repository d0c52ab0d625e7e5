/** The docker driver, with real containers of an engine that the tests start. */
import { randomBytes } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type Docker from 'dockerode'
import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import type { Artifact, FolderArtifact } from '../../src/core/deployment/artifacts/artifact.ts'
import type { RuntimeSpec } from '../../src/core/deployment/runtime.ts'
import { silentLog } from '../../src/core/log.ts'
import { createDockerDriver } from '../../src/runtime/docker/driver.ts'
import type { DockerDriverOptions } from '../../src/runtime/docker/replica-container.ts'
import { locate, makeSpec } from '../conformance/process-world.ts'
import {
  aDataKey,
  ask,
  type RuntimeDriverWorld,
  testRuntimeDriver,
  until,
  untilHealthy,
} from '../conformance/runtime-driver.ts'
import { imageFolder, startContainerEngine } from '../support/control-plane/container-engine.ts'
import { eventually } from '../support/eventually.ts'
import { forAllTests, forEachTest } from '../support/running.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testContainerBuilds } from './docker-builds.ts'

const IMAGE = 'localhost/runyard-stand-in:1'

const engine = forAllTests(startContainerEngine)
beforeAll(async () => {
  const folder = await imageFolder({
    'test/fixtures/linked-stand-in.js': '/runyard/linked-stand-in.mjs',
    'node_modules/ws': '/runyard/node_modules/ws',
  })
  await engine.importImage(folder, IMAGE, ['/bin/node', '/runyard/linked-stand-in.mjs'])
})

interface DockerWorld extends RuntimeDriverWorld<Artifact> {
  dir: string
  key: Buffer
  options: DockerDriverOptions
  container(revision_id: string): Promise<Docker.Container>
}

async function openWorld(more: Partial<DockerDriverOptions> = {}): Promise<DockerWorld> {
  const dir = temporaryFolder()
  chmodSync(dir, 0o755)
  const key = randomBytes(32)
  const options: DockerDriverOptions = {
    command: { file: process.execPath, args: [] },
    locate: (artifact) => locate(dir, artifact),
    dataDir: (deployment_id) => join(dir, 'deployments', deployment_id),
    dataKey: aDataKey,
    logsDir: join(dir, 'logs'),
    env: { OPERATOR: 'of the operator' },
    podEnv: { RUNYARD_LOG_LEVEL: 'warn' },
    docker: { host: engine.host, image: IMAGE, network: undefined, user: undefined, key },
    clock: systemClock,
    log: silentLog,
    ...more,
  }
  const driver = createDockerDriver(options)
  const container = async (revision_id: string) => {
    const filters = { label: [`runyard.revision=${revision_id}`] }
    const [found] = await engine.docker.listContainers({ filters })
    return engine.docker.getContainer(found?.Id ?? expect.fail('it has no container'))
  }
  return {
    ...{ dir, key, options, driver, container },
    spec: (behaviour, secrets = []) => makeSpec(dir, behaviour, secrets),
    kill: async (revision_id) => (await container(revision_id)).kill({ signal: 'SIGKILL' }),
    async close() {
      await driver.stopAll(0)
    },
  }
}

testRuntimeDriver('The docker driver', openWorld)
testContainerBuilds(() => engine, IMAGE)

describe('The docker driver', () => {
  const world = forEachTest(openWorld)

  const startHealthy = async (secrets: RuntimeSpec['secrets'] = []) => {
    const spec = world.spec('is well', secrets)
    await world.driver.start(spec)
    return { spec, endpoint: await untilHealthy(world.driver, spec.revision_id) }
  }

  it('confines an agent server, and shows nobody its secrets or the operator’s', async () => {
    const { spec, endpoint } = await startHealthy([{ name: 'MODEL_KEY', value: 'the-secret' }])
    const about = await (await world.container(spec.revision_id)).inspect()
    expect(about.HostConfig).toMatchObject({ ReadonlyRootfs: true, PidsLimit: 512 })
    expect(about.HostConfig.Memory).toBe(2048 * 1024 * 1024)
    // An engine's own weight: a build has less.
    expect([0, 1024]).toContain(about.HostConfig.CpuShares)
    expect(about.Config.User).toBe('10001:10001')
    const visible = JSON.stringify(about)
    for (const hidden of [
      'the-secret',
      endpoint.token,
      'of the operator',
      'docker.sock',
      engine.host,
    ]) {
      expect(visible.replaceAll(/"(LogPath|.*Path)":"[^"]*"/g, '')).not.toContain(hidden)
    }
    const mounts = about.Mounts.map(({ Source, RW }) => [Source, RW])
    expect(mounts.toSorted()).toEqual([
      [join(world.dir, 'deployments', spec.deployment_id), true],
      [locate(world.dir, spec.artifact as FolderArtifact).root, false],
    ])
  })

  it('leaves containers to the next driver, which goes on with them', async () => {
    const { spec, endpoint } = await startHealthy()
    const before = await (await world.container(spec.revision_id)).inspect()
    await world.driver.leave(0)
    expect(await ask(endpoint)).toBeDefined()
    const next = createDockerDriver(world.options)
    await eventually(() => next.revisionsOf(spec.deployment_id)).toEqual([spec.revision_id])
    await next.start(spec)
    expect(await untilHealthy(next, spec.revision_id)).toEqual(endpoint)
    const after = await (await world.container(spec.revision_id)).inspect()
    expect(after.Id).toBe(before.Id)
    expect(await ask(endpoint)).toMatchObject({ isActivated: true })
    await next.stopAll(0)
    expect(await ask(endpoint)).toBeUndefined()
  })

  it('ends what it has found and nobody wants', async () => {
    const { spec, endpoint } = await startHealthy()
    await world.driver.leave(0)
    const next = createDockerDriver(world.options)
    await eventually(() => next.revisionsOf(spec.deployment_id)).toEqual([spec.revision_id])
    await next.stop(spec.revision_id, 1000)
    expect(next.revisionsOf(spec.deployment_id)).toEqual([])
    expect(await ask(endpoint)).toBeUndefined()
    await next.stopAll(0)
  })

  it.skipIf(process.env.TEST_DOCKER_HOST)(
    'goes on when the engine was away for a while (one that the tests have started)',
    async () => {
      const { spec, endpoint } = await startHealthy()
      const later = world.spec('is well')
      await engine.stopService()
      try {
        expect(await ask(endpoint)).toBeDefined()
        await world.driver.start(later)
        await eventually(() => world.driver.observe(later.revision_id)).toMatchObject({
          kind: 'starting',
          reason: expect.stringContaining('does not answer'),
        })
      } finally {
        await engine.startService()
      }
      await untilHealthy(world.driver, later.revision_id)
      const restarting = until(world.driver, spec.revision_id, 'restarting')
      await world.kill(spec.revision_id)
      await restarting
      await untilHealthy(world.driver, spec.revision_id)
    },
  )

  it('keeps code in a container away from everybody else, and bounds its processes', async () => {
    const { spec } = await startHealthy()
    const { spec: other, endpoint } = await startHealthy()
    const paths = [
      join(world.dir, 'logs'),
      join(world.dir, 'deployments', other.deployment_id),
      locate(world.dir, other.artifact as FolderArtifact).root,
      ...['/var/run/docker.sock', '/run/podman/podman.sock', engine.host.replace('unix://', '')],
    ]
    const seen = await inside(await world.container(spec.revision_id), { paths, url: endpoint.url })
    expect(seen.readable).toEqual([])
    expect(seen.writable).toEqual([
      '/tmp/mine',
      join(world.dir, 'deployments', spec.deployment_id, 'mine'),
    ])
    expect(seen.reached).toBe(false)
    expect(seen.processes).toBeLessThan(512)
    expect(await ask(endpoint)).toBeDefined()
  })

  it('says which image there is not, and what to do', async () => {
    const docker = { ...world.options.docker, image: 'localhost/nowhere:1' }
    const other = createDockerDriver({ ...world.options, docker })
    const spec = world.spec('is well')
    await other.start(spec)
    const { reason } = await until(other, spec.revision_id, 'failed')
    expect(reason).toMatch(/has no image localhost\/nowhere:1\..*RUNYARD_IMAGE/)
    await other.stopAll(0)
  })

  it('says why one is gone that took more memory than it may', async () => {
    const spec = { ...world.spec('grows at start'), resource_spec: { memory_mb: 64 } }
    await world.driver.start(spec)
    const { reason } = await until(world.driver, spec.revision_id, 'failed')
    expect(reason).toMatch(/128 MB/)
  })

  it('keeps what an agent server prints, with the time', async () => {
    const { spec } = await startHealthy()
    const log = join(world.dir, 'logs', spec.revision_id, 'deploy.log')
    await eventually(() => readFile(log, 'utf8')).toMatch(/^\d{4}-\S+Z listening\n$/)
  })

  it('removes the containers and the network of what is stopped', async () => {
    const { spec } = await startHealthy()
    await world.driver.stop(spec.revision_id, 1000)
    const filters = { label: [`runyard.deployment=${spec.deployment_id}`] }
    expect(await engine.docker.listContainers({ all: true, filters })).toEqual([])
    expect(await engine.docker.listNetworks({ filters: JSON.stringify(filters) })).toEqual([])
  })
})

interface Seen {
  readable: string[]
  writable: string[]
  reached: boolean
  processes: number
}

/** What a program in the container can do: read `paths`, write, reach `url`, start 2,000 processes. */
async function inside(
  container: Docker.Container,
  { paths, url }: { paths: string[]; url: string },
): Promise<Seen> {
  const { Mounts } = await container.inspect()
  const places = [
    '/mine',
    '/tmp/mine',
    ...Mounts.map(({ Destination }) => `${Destination}/mine`).toSorted(),
  ]
  const Cmd = ['/bin/node', '-e', PROGRAM, JSON.stringify({ paths, places, url })]
  const exec = await container.exec({
    Cmd,
    AttachStdout: true,
    AttachStderr: true,
    User: '10001:10001',
  })
  const stream = await exec.start({})
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  const said = Buffer.concat(chunks).toString()
  return JSON.parse(said.slice(said.indexOf('{')))
}

const PROGRAM = `
const { readdirSync, readFileSync, statSync, writeFileSync } = require('node:fs')
const { spawn } = require('node:child_process')
const { paths, places, url } = JSON.parse(process.argv[1])
const can = (work) => { try { work(); return true } catch { return false } }
const readable = paths.filter((path) => can(() => statSync(path).isDirectory() ? readdirSync(path) : readFileSync(path)))
const writable = places.filter((path) => can(() => writeFileSync(path, '')))
const reach = fetch(url, { signal: AbortSignal.timeout(3000) }).then(() => true, () => false)
let processes = 0
for (; processes < 2000; processes++) {
  const child = spawn('/bin/sh', ['-c', 'read x'])
  child.on('error', () => {})
  if (child.pid === undefined) break
}
reach.then((reached) => {
  process.stdout.write(JSON.stringify({ readable, writable, reached, processes }), () => process.exit())
})
`
