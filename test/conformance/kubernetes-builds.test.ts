/** Builds as Jobs, on the stand-in of the cluster's API: the pods are Runyard's own program, as processes. */
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { dirname, join, resolve } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { create } from 'tar'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { createArtifactStore } from '../../src/artifacts/artifact-store.ts'
import { openFolderObjects } from '../../src/artifacts/folder-objects.ts'
import { createPublishedBuilder } from '../../src/artifacts/published-builder.ts'
import { createBuilder } from '../../src/build/builder.ts'
import { createTarballs } from '../../src/build/tarballs.ts'
import { artifactRoutes } from '../../src/control-plane/sources/artifact-routes.ts'
import { systemClock as clock } from '../../src/core/clock.ts'
import type { ArtifactStore } from '../../src/core/deployment/artifacts/store.ts'
import {
  BuildError,
  type Builder,
  type BuildRequest,
  HandedOver,
} from '../../src/core/deployment/builds/build.ts'
import type { BuildJobLimits, BuildSettings } from '../../src/core/deployment/builds/job.ts'
import {
  EMPTY_REVISION_CONFIG,
  EMPTY_SOURCE_CONFIG,
} from '../../src/core/deployment/sources/config.ts'
import { silentLog } from '../../src/core/log.ts'
import { createApp } from '../../src/http/app.ts'
import { PROJECT_CHECKS } from '../../src/main/builds/build-parts.ts'
import { createBuildJobs } from '../../src/runtime/kubernetes/build-jobs.ts'
import { openCluster } from '../../src/runtime/kubernetes/cluster.ts'
import { sweepOrphans } from '../../src/runtime/kubernetes/orphans.ts'
import { type KubernetesCluster, startKubernetesApi } from '../support/kubernetes/kubernetes-api.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const IMAGE = 'runyard:stand-in'
const LIMITS: BuildJobLimits = { commandMs: 120_000, maxMemoryBytes: 1024 ** 3, cpus: 1 }
/** The pods are of this machine, and find what the clone has installed; packing leaves the link out. */
const LINK = `ln -s ${join(ROOT, 'node_modules')} node_modules`
const GRAPH = `
import { Annotation, StateGraph } from '@langchain/langgraph'
const State = Annotation.Root({ said: Annotation<string>() })
export const graph = new StateGraph(State).addNode('say', () => ({ said: 'built' }))
  .addEdge('__start__', 'say').compile()
`
const FILES = {
  'langgraph.json': JSON.stringify({ graphs: { agent: './graph.ts:graph' } }),
  'graph.ts': GRAPH,
  'package.json': '{"type":"module"}',
}

const dir = temporaryFolder()
let cluster: KubernetesCluster
let server: Server
let artifacts: ArtifactStore
const signingKey = new Uint8Array(32).fill(3)

beforeAll(async () => {
  cluster = await startKubernetesApi({ [IMAGE]: [join(ROOT, 'bin/runyard')] })
  const objects = openFolderObjects({ root: join(dir, 'objects'), isShared: true })
  const homeUrl = async () => `http://127.0.0.1:${(server.address() as { port: number }).port}`
  artifacts = createArtifactStore({
    ...{ objects, signingKey, homeUrl, clock, unfinishedDir: join(dir, 'unfinished') },
  })
  const app = createApp(silentLog).route(
    '/',
    artifactRoutes({ packed: artifacts, signingKey, clock }),
  )
  server = createAdaptorServer({ fetch: app.fetch }) as Server
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
})
afterAll(async () => {
  server.close()
  await cluster.stop()
})

interface ControlPlane {
  builder: Builder
  log(revision_id: string): Promise<string>
  close(): void
}

const SETTINGS: BuildSettings = {
  env: { npm_config_registry: 'http://registry.test/' },
  files: { PIP_CONFIG_FILE: 'of-the-operator' },
  sameFiles: { UV_CONFIG_FILE: 'PIP_CONFIG_FILE' },
}

/** Each has a folder of its own; the cluster and the store are everybody's. */
function controlPlane({
  image = IMAGE,
  limits = {},
  readSettings = async () => SETTINGS,
}: {
  image?: string
  limits?: Partial<BuildJobLimits>
  readSettings?: () => Promise<BuildSettings>
} = {}): ControlPlane {
  const own = join(dir, randomUUID())
  const jobs = createBuildJobs({
    cluster: settings(image),
    record: 'the-record',
    limits: { ...LIMITS, ...limits },
    readSettings,
    log: silentLog,
  })
  const objects = openFolderObjects({ root: join(dir, 'objects') })
  const builder = createBuilder({
    dir: own,
    tarballs: createTarballs({ dir: own, objects }),
    ...PROJECT_CHECKS,
    env: { PATH: process.env.PATH ?? '' },
    elsewhere: { jobs, artifacts },
    ...{ clock, log: silentLog },
  })
  const rootOf = () => join(own, 'nothing')
  return {
    builder: createPublishedBuilder(builder, { artifacts, rootOf, isDone: true }),
    log: (id) => readFile(join(own, 'revisions', id, 'build.log'), 'utf8').catch(() => ''),
    close: () => jobs.stop(),
  }
}

function settings(image: string) {
  return {
    ...{ kubeconfig: cluster.kubeconfig, namespace: 'agents', image },
    ...{ installation: 'test', allow: [], scaling: 'own' as const, ingressFrom: [] },
  }
}

/** Packs the files and answers the request that builds them. */
async function uploaded(
  config: Partial<BuildRequest['source_config']> = {},
  files: Record<string, string> = FILES,
): Promise<BuildRequest> {
  const name = randomUUID()
  const folder = join(dir, 'projects', name)
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  const path = `${name}.tar.gz`
  await mkdir(join(dir, 'objects/uploads/d'), { recursive: true })
  await create({ cwd: folder, gzip: true, file: join(dir, 'objects/uploads/d', path) }, ['.'])
  return {
    revision_id: randomUUID(),
    deployment_id: randomUUID(),
    source: 'internal_source',
    source_config: { ...EMPTY_SOURCE_CONFIG, install_command: LINK, ...config },
    source_revision_config: { ...EMPTY_REVISION_CONFIG, source_tarball_path: `d/${path}` },
    secrets: [{ name: 'OF_THE_PROJECT', value: 'its-secret' }],
  }
}

const never = () => new AbortController().signal
const jobOf = ({ revision_id }: BuildRequest) =>
  cluster.objects('Job').find(({ metadata }) => metadata.name === `agent-build-${revision_id}`)
const podOf = ({ revision_id }: BuildRequest) =>
  cluster.objects('Pod').find(({ metadata }) => metadata.labels?.['runyard/build'] === revision_id)
const reasonOf = (building: Promise<unknown>) =>
  building.then(
    () => 'it was built',
    (error: unknown) => (error instanceof BuildError ? `${error.step}: ${error.message}` : error),
  )

type Failure = [string, Parameters<typeof controlPlane>[0], Parameters<typeof uploaded>[0], RegExp]

// They wait for processes more than they compute.
describe.concurrent('a build as a Job', () => {
  it('gives what pods fetch, with the log as it goes, and leaves nothing in the cluster', async ({
    expect,
  }) => {
    const home = controlPlane()
    const request = await uploaded({
      build_command:
        'echo "$OF_THE_PROJECT $npm_config_registry"; cat "$PIP_CONFIG_FILE" "$UV_CONFIG_FILE"',
    })
    const building = home.builder.build(request, never())
    await expect.poll(() => home.log(request.revision_id)).toContain('$ ln -s')
    const job = jobOf(request)
    // Neither in the Job nor in its pod: in the Secret alone.
    expect(JSON.stringify([job, podOf(request)])).not.toContain('its-secret')
    expect(job?.spec).toMatchObject({ backoffLimit: 0, activeDeadlineSeconds: 1140 })
    const built = await building
    expect(built).toMatchObject({
      artifact: { kind: 'folder', id: request.revision_id, config_path: 'langgraph.json' },
      repo_commit_sha: null,
    })
    expect(await home.builder.find(request.revision_id)).toEqual(built)
    const packed = await artifacts.find(request.revision_id)
    const content = await artifacts.open(request.revision_id, packed?.digest ?? '')
    expect(content).toMatchObject({ bytes: packed?.bytes })
    const log = await home.log(request.revision_id)
    expect(log).toContain('its-secret http://registry.test/')
    expect(log).toContain('of-the-operatorof-the-operator')
    expect(log).toMatch(/Bundled \d+ files/)
    expect(log).toContain('Build succeeded.')
    await expect.poll(() => podOf(request)).toBeUndefined()
    const left = ['Job', 'Secret', 'NetworkPolicy'].flatMap((kind) => cluster.objects(kind))
    const name = `agent-build-${request.revision_id}`
    expect(left.filter(({ metadata }) => metadata.name === name)).toEqual([])
    expect(cluster.refusals).toEqual([])
    home.close()
  })

  it('fails with the reason of the step that failed, and its last lines', async ({ expect }) => {
    const home = controlPlane()
    const request = await uploaded({ install_command: 'echo no such package; exit 3' })
    const error = await home.builder.build(request, never()).catch((one: unknown) => one)
    expect(error).toBeInstanceOf(BuildError)
    const { step, message, logTail } = error as BuildError
    expect([step, message]).toEqual(['install', expect.stringContaining('ended with exit code 3')])
    expect(logTail).toContain('no such package')
    expect(await home.builder.find(request.revision_id)).toBeUndefined()
    await expect.poll(() => jobOf(request)).toBeUndefined()
    home.close()
  })

  it('refuses an image of the project’s own, and says what to set', async ({ expect }) => {
    const home = controlPlane()
    const config = { graphs: { agent: './graph.ts:graph' }, dockerfile_lines: ['RUN true'] }
    const request = await uploaded({}, { ...FILES, 'langgraph.json': JSON.stringify(config) })
    const why = await reasonOf(home.builder.build(request, never()))
    expect(why).toMatch(/^configuration: .*RUNYARD_REGISTRY_URL and RUNYARD_DOCKER_HOST/)
    home.close()
  })

  it.for<Failure>([
    [
      'an image that is not there',
      { image: 'runyard:missing' },
      {},
      /cannot be started: ImagePullBackOff/,
    ],
    [
      'too much memory',
      { limits: { maxMemoryBytes: 64 * 1024 ** 2 } },
      HUNGRY(),
      /more than the 64 MiB of memory/,
    ],
    [
      'a command without an end',
      { limits: { commandMs: 500 } },
      { install_command: 'sleep 60' },
      /took longer than/,
    ],
  ])('tells of %s', async ([_what, given, config, why], { expect }) => {
    const home = controlPlane(given)
    const request = await uploaded(config)
    expect(await reasonOf(home.builder.build(request, never()))).toMatch(why)
    await expect.poll(() => jobOf(request)).toBeUndefined()
    home.close()
  })

  it('tells of a pod that is gone with its node', async ({ expect }) => {
    const home = controlPlane()
    const request = await uploaded({ install_command: 'echo begun; sleep 60' })
    const building = reasonOf(home.builder.build(request, never()))
    await expect.poll(() => home.log(request.revision_id)).toContain(' begun')
    cluster.deletePod(podOf(request)?.metadata.name ?? '')
    expect(await building).toMatch(/^job: Its pod is gone: its node was lost/)
    home.close()
  })

  it('ends with the Job when it is ended', async ({ expect }) => {
    const home = controlPlane()
    const request = await uploaded({ install_command: 'echo begun; sleep 60' })
    const ending = new AbortController()
    const building = home.builder.build(request, ending.signal)
    await expect.poll(() => home.log(request.revision_id)).toContain(' begun')
    ending.abort(new Error('interrupted'))
    await expect(building).rejects.toThrow('interrupted')
    await expect.poll(() => [jobOf(request), podOf(request)]).toEqual([undefined, undefined])
    home.close()
  })

  it('is gone on with by the next control plane, with the whole log', async ({ expect }) => {
    const gate = join(dir, 'gate')
    const first = controlPlane()
    const wait = `echo begun; until test -e ${gate}; do sleep 0.1; done; ${LINK}`
    const request = await uploaded({ install_command: wait })
    const leaving = new AbortController()
    const building = first.builder.build(request, leaving.signal)
    await expect.poll(() => first.log(request.revision_id)).toContain(' begun')
    leaving.abort(new HandedOver())
    await expect(building).rejects.toThrow('handed over')
    first.close()
    expect(jobOf(request)).toBeDefined()
    const next = controlPlane()
    const going = next.builder.build(request, never())
    await expect.poll(() => next.log(request.revision_id)).toContain(' begun')
    await writeFile(gate, '')
    expect(await going).toMatchObject({ artifact: { id: request.revision_id } })
    expect(await next.log(request.revision_id)).toContain('Going on with the build')
    await expect.poll(() => jobOf(request)).toBeUndefined()
    next.close()
  })

  it('is begun anew where the control plane died before the Job had its Secret', async ({
    expect,
  }) => {
    const asked = Promise.withResolvers<void>()
    const readSettings = () => {
      asked.resolve()
      return new Promise<never>(() => {})
    }
    const first = controlPlane({ readSettings })
    const request = await uploaded()
    void first.builder.build(request, never())
    await asked.promise
    first.close()
    const half = jobOf(request)
    expect(podOf(request)).toBeUndefined()
    const next = controlPlane()
    expect(await next.builder.build(request, never())).toMatchObject({
      artifact: { id: request.revision_id },
    })
    expect(await next.log(request.revision_id)).toContain('Building as the Job')
    expect(half?.spec).toMatchObject({ suspend: true })
    await expect.poll(() => jobOf(request)).toBeUndefined()
    next.close()
  })

  it('is taken up where it has ended meanwhile, and built anew where nothing of it is kept', async ({
    expect,
  }) => {
    const first = controlPlane()
    const request = await uploaded()
    const leaving = new AbortController()
    const building = first.builder.build(request, leaving.signal)
    await expect.poll(() => first.log(request.revision_id)).toContain('Building as the Job')
    leaving.abort(new HandedOver())
    await expect(building).rejects.toThrow('handed over')
    first.close()
    await expect.poll(() => conditionOf(request)).toBe('Complete')
    await artifacts.remove(request.revision_id)
    const next = controlPlane()
    expect(await next.builder.build(request, never())).toMatchObject({
      artifact: { id: request.revision_id },
    })
    next.close()
  })

  it('is removed where nobody waits for it any more', async ({ expect }) => {
    const first = controlPlane()
    const request = await uploaded({ install_command: 'echo begun; sleep 60' })
    const leaving = new AbortController()
    const building = first.builder.build(request, leaving.signal)
    await expect.poll(() => first.log(request.revision_id)).toContain(' begun')
    leaving.abort(new HandedOver())
    await expect(building).rejects.toThrow('handed over')
    first.close()
    const stopping = new AbortController()
    const open = await openCluster(settings(IMAGE), silentLog)
    const over = new Set<string>()
    const sweep = () =>
      sweepOrphans({
        ...{ cluster: open, settings: settings(IMAGE), signal: stopping.signal, log: silentLog },
        record: {
          id: 'the-record',
          has: async () => true,
          isOver: async (_deployment_id, revision_id) => over.has(revision_id),
        },
        stop: async () => false,
      })
    const looking = [sweep()]
    over.add(request.revision_id)
    looking.push(sweep())
    await expect.poll(() => [jobOf(request), podOf(request)]).toEqual([undefined, undefined])
    stopping.abort()
    await Promise.all(looking)
    open.stop()
  })
})

function HUNGRY() {
  const code = 'const all = []; setInterval(() => all.push(Buffer.alloc(2e7, 1)), 20)'
  return { install_command: `node -e '${code}'` }
}

function conditionOf(request: BuildRequest): string | undefined {
  const { conditions = [] } = (jobOf(request)?.status ?? {}) as { conditions?: { type: string }[] }
  return conditions[0]?.type
}
