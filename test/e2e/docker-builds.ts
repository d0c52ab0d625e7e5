/** Builds in containers of the engine that the tests of the docker driver have. */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create } from 'tar'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBuilder } from '../../src/build/builder.ts'
import { revisionFolder } from '../../src/build/layout.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { BuildRequest } from '../../src/core/deployment/builds/build.ts'
import type { ImageRegistry, OwnRegistry } from '../../src/core/deployment/images/registry.ts'
import { silentLog } from '../../src/core/log.ts'
import { createBuildContainers } from '../../src/runtime/docker/build-containers.ts'
import { createDockerDriver } from '../../src/runtime/docker/driver.ts'
import { locate, makeSpec } from '../conformance/process-world.ts'
import { untilHealthy } from '../conformance/runtime-driver.ts'
import type { ContainerEngine } from '../support/control-plane/container-engine.ts'
import { NO_REGISTRY, PULLER, startRegistry } from '../support/control-plane/registry.ts'
import { eventually } from '../support/eventually.ts'

export function testContainerBuilds(engineOf: () => ContainerEngine, image: string): void {
  describe('Builds with the docker driver', () => {
    let dir: string
    const key = randomBytes(32)
    beforeEach(async () => {
      dir = await mkdtemp(join(tmpdir(), 'docker-builds-'))
    })
    afterEach(() => rm(dir, { recursive: true, force: true }))

    const settings = () => ({
      ...{ host: engineOf().host, image, network: undefined, user: undefined, key },
    })

    const openBuilder = (
      limits: { maxMemoryBytes?: number; installMs?: number } = {},
      dockerfile_lines: string[] = [],
      own?: OwnRegistry,
    ) => {
      const env = { PATH: process.env.PATH ?? '', HTTPS_PROXY: 'http://proxy.example.com' }
      return createBuilder({
        dir,
        tarballs: {
          async use(_path, work) {
            await work(await tarball(dir))
            return true
          },
        },
        checkConfig: async () => ({
          ...{ node_version: undefined, needsNode: false, hasJsModules: false, notes: [] },
          image: { dockerfile_lines, notes: [] },
        }),
        checkPackages: async () => [],
        ownNode: '/nowhere',
        env,
        containers: createBuildContainers({ docker: settings(), cpus: 1, env }),
        images: { own, registry: NOBODY_ASKED },
        limits: { maxMemoryBytes: 256 * 1024 ** 2, ...limits },
        clock: systemClock,
        log: silentLog,
      })
    }
    const logOf = (id: string) => readFile(revisionFolder(dir, id).log, 'utf8')
    const containersOf = (id: string) =>
      engineOf().docker.listContainers({
        all: true,
        filters: { label: [`runyard.revision=${id}`] },
      })
    /** Every name by which the engine knows an image of the deployment, and the ids of those without one. */
    const namesOf = async (id: string) => {
      const filters = JSON.stringify({ label: [`runyard.deployment=${id}`] })
      const images = await engineOf().docker.listImages({ filters })
      return images.flatMap(({ Id, RepoTags }) => (RepoTags?.length ? RepoTags : [Id]))
    }
    const never = new AbortController().signal

    it('run a project’s commands in a container, which sees the project and nothing else', async () => {
      const paths = [dir, join(dir, 'revisions'), engineOf().host.replace('unix://', '')]
      const request = aRequest(`node -e '${LOOK}' '${JSON.stringify(paths)}'`)
      const { artifact } = await openBuilder().build(request, never)
      expect(artifact).toMatchObject({ kind: 'folder', id: request.revision_id })
      const made = join(revisionFolder(dir, request.revision_id).source, 'seen.json')
      const seen = JSON.parse(await readFile(made, 'utf8'))
      expect(seen).toMatchObject({ uid: process.getuid?.() || 10001, capabilities: 0, read: [] })
      expect(seen.env).toMatchObject({
        ...{ MODEL_KEY: "it's\nsecret", HTTPS_PROXY: 'http://proxy.example.com', CI: 'true' },
        HOME: join(dir, 'homes', request.deployment_id),
      })
      expect(Object.keys(seen.env)).not.toContain('USER')
      expect(await logOf(request.revision_id)).toMatch(/it has looked around/)
      expect(await containersOf(request.revision_id)).toEqual([])
    })

    it('end a command that takes too much memory or time, with a reason', async () => {
      const large = aRequest('node -e "const all = []; for (;;) all.push(Buffer.alloc(1e7, 1))"')
      const builder = openBuilder({ maxMemoryBytes: 96 * 1024 ** 2 })
      await expect(builder.build(large, never)).rejects.toThrow(/took more than the 96 MiB/)
      const slow = aRequest('node -e "setInterval(() => {}, 1e6)"')
      await expect(openBuilder({ installMs: 2000 }).build(slow, never)).rejects.toThrow(
        /took longer than 2 s/,
      )
      await expect(openBuilder().build(aRequest('exit 3'), never)).rejects.toThrow(/exit code 3/)
    })

    it('have an image of the project’s own, which goes with the revision', async () => {
      const lines = ['COPY langgraph.json /copied.json', 'ENV FROM_LINES=yes']
      const look = 'RUN node -e "fs.writeFileSync(\'/uid\', String(process.getuid()))"'
      const request = aRequest(
        `node -e 'fs.writeFileSync("seen.json", JSON.stringify([fs.readFileSync("/uid", "utf8"), fs.readFileSync("/copied.json", "utf8"), process.env.FROM_LINES]))'`,
      )
      const builder = openBuilder({}, [...lines, look])
      const { artifact } = await builder.build(request, never)
      const { source } = revisionFolder(dir, request.revision_id)
      expect(JSON.parse(await readFile(join(source, 'seen.json'), 'utf8'))).toEqual([
        ...['0', '{}', 'yes'],
      ])
      expect(await builder.find(request.revision_id)).toMatchObject({ artifact })
      const about = await engineOf()
        .docker.getImage((artifact as { image?: string }).image ?? '')
        .inspect()
      expect(about.Config.Labels).toMatchObject({
        ...{ 'runyard.link': '1', 'runyard.revision': request.revision_id },
      })
      const imagesOf = () =>
        engineOf().docker.listImages({
          filters: JSON.stringify({ label: [`runyard.revision=${request.revision_id}`] }),
        })
      expect(await imagesOf()).toHaveLength(1)
      await builder.prune(request.revision_id)
      expect(await imagesOf()).toEqual([])
      expect(await engineOf().docker.getImage(image).inspect()).toBeDefined()
      const failing = aRequest('true')
      const failed = openBuilder({}, ['ENV A=1', 'RUN exit 4']).build(failing, never)
      await expect(failed).rejects.toThrow(/could not be built: .*(status|code:) 4\b/)
      const filters = JSON.stringify({ label: [`runyard.deployment=${failing.deployment_id}`] })
      expect(await engineOf().docker.listImages({ filters })).toEqual([])
      expect(await engineOf().docker.listNetworks({ filters })).toEqual([])
    })

    it.skipIf(NO_REGISTRY || process.env.TEST_DOCKER_HOST)(
      `push a project’s own image, from where any engine starts it${NO_REGISTRY && ` (${NO_REGISTRY})`}`,
      async () => {
        const registry = await startRegistry({ hasLogins: true })
        const prefix = `${registry.host}/team`
        const own = { url: `http://${prefix}`, prefix, login: PULLER }
        const driver = createDockerDriver({
          ...{ command: { file: process.execPath, args: [] }, env: {}, docker: settings() },
          locate: (artifact) => locate(dir, artifact),
          dataDir: () => join(dir, 'data'),
          ...{ clock: systemClock, log: silentLog },
        })
        try {
          const request = aRequest('true')
          const { revision_id, deployment_id } = request
          const builder = openBuilder({}, ['ENV FROM_LINES=yes'], own)
          const { artifact } = await builder.build(request, never)
          const digest = await registry.digestOf(`team/${deployment_id}/built`, revision_id)
          const image_uri = `${prefix}/${deployment_id}/built@${digest}`
          expect(artifact).toMatchObject({ kind: 'folder', image_uri })
          expect(artifact).not.toHaveProperty('image')
          // The engine forgets it, as another one has never known it: nothing is built again for that.
          const env = {}
          await createBuildContainers({ docker: settings(), cpus: 1, env }).removeImages(
            revision_id,
          )
          expect(await namesOf(deployment_id)).toEqual([])
          expect(await builder.find(revision_id)).toMatchObject({ artifact })
          const spec = makeSpec(dir, 'is well', [])
          await driver.start({
            ...{ ...spec, revision_id, deployment_id, pullLogin: PULLER },
            artifact: { ...spec.artifact, image_uri },
          })
          await untilHealthy(driver, revision_id)
          const [container] = await containersOf(revision_id)
          const { Env } = (
            await engineOf()
              .docker.getContainer(container?.Id ?? '')
              .inspect()
          ).Config
          expect(Env).toContain('FROM_LINES=yes')
          await driver.stop(revision_id, 1000)
          await builder.prune(revision_id)
          expect(await namesOf(deployment_id)).toEqual([])

          const refused = aRequest('true')
          const login = { ...PULLER, password: 'not-the-password' }
          const failed = openBuilder({}, ['ENV A=1'], { ...own, login }).build(refused, never)
          const place = `${prefix}/${refused.deployment_id}/built:${refused.revision_id}`
          await expect(failed).rejects.toThrow(
            new RegExp(`not be pushed to ${place}: .*unauthorized.* RUNYARD_REGISTRY_USER `),
          )
          expect(await namesOf(refused.deployment_id)).toEqual([
            `localhost/runyard-built/${refused.deployment_id}:${refused.revision_id}`,
          ])
          const logs = [await logOf(revision_id), await logOf(refused.revision_id)].join()
          expect(logs).toContain('Pushing the image to')
          expect(logs).not.toMatch(/not-the-password|runyard-pulls/)
        } finally {
          await driver.stopAll(0)
          await registry.stop()
        }
      },
    )

    it('leave nothing behind when they are cancelled', async () => {
      const request = aRequest('echo begun; node -e "setInterval(() => {}, 1e6)"')
      const abort = new AbortController()
      const building = openBuilder().build(request, abort.signal)
      building.catch(() => {})
      await eventually(() => logOf(request.revision_id).catch(() => '')).toMatch(/ begun\n/)
      const [container] = await containersOf(request.revision_id)
      const about = await engineOf()
        .docker.getContainer(container?.Id ?? '')
        .inspect()
      expect(JSON.stringify(about)).not.toContain('secret')
      const confined = { ReadonlyRootfs: true, Memory: 256 * 1024 ** 2, CpuShares: 256 }
      expect(about.HostConfig).toMatchObject(confined)
      abort.abort(new Error('cancelled'))
      await expect(building).rejects.toThrow('cancelled')
      expect(await containersOf(request.revision_id)).toEqual([])
      const filters = JSON.stringify({ label: [`runyard.deployment=${request.deployment_id}`] })
      expect(await engineOf().docker.listNetworks({ filters })).toEqual([])
    })

    it('that a control plane has left are removed by the next one', async () => {
      const request = aRequest('echo begun; node -e "setInterval(() => {}, 1e6)"')
      const abort = new AbortController()
      const building = openBuilder().build(request, abort.signal)
      building.catch(() => {})
      await eventually(() => containersOf(request.revision_id)).toHaveLength(1)
      const [own] = await containersOf(request.revision_id)
      const { docker } = engineOf()
      const Labels = { ...own?.Labels, 'runyard.build': randomUUID() }
      const left = await docker.createContainer({ Image: image, Labels })
      const driver = createDockerDriver({
        ...{ command: { file: process.execPath, args: [] }, env: {}, docker: settings() },
        locate: () => expect.fail('nothing is started'),
        dataDir: () => dir,
        ...{ clock: systemClock, log: silentLog },
      })
      const ids = async () => (await containersOf(request.revision_id)).map(({ Id }) => Id)
      await eventually(ids).not.toContain(left.id)
      expect(await ids()).toContain(own?.Id)
      await driver.stopAll(0)
      abort.abort(new Error('cancelled'))
      await expect(building).rejects.toThrow('cancelled')
    })
  })
}

const NOBODY_ASKED: ImageRegistry = {
  digestOf: () => expect.fail('it was asked for a digest'),
  labelsOf: () => expect.fail('it was asked for labels'),
  hasTriggers: () => expect.fail('it was asked for triggers'),
  remove: () => expect.fail('it was asked to remove'),
}

function aRequest(install_command: string): BuildRequest {
  return {
    ...{ revision_id: randomUUID(), deployment_id: randomUUID(), source: 'internal_source' },
    source_config: { ...NOTHING, install_command, build_command: null },
    source_revision_config: { ...NO_REVISION, source_tarball_path: 'a/b.tar.gz' },
    secrets: [
      { name: 'MODEL_KEY', value: "it's\nsecret" },
      { name: 'no.shell', value: 'knows it' },
    ],
  } as BuildRequest
}

const NOTHING = { repo_url: null, integration_id: null, build_on_push: null, custom_url: null }
const NO_REVISION = { repo_ref: null, langgraph_config_path: null, image_uri: null }

async function tarball(dir: string): Promise<string> {
  const folder = join(dir, 'project')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'langgraph.json'), '{}')
  const file = join(dir, 'project.tar.gz')
  await create({ gzip: true, file, cwd: folder }, ['.'])
  return file
}

/** Without a quote of the shell's. */
const LOOK = `
const { readdirSync, readFileSync, statSync, writeFileSync } = require("node:fs")
const can = (work) => { try { work(); return true } catch { return false } }
const read = JSON.parse(process.argv[1]).filter((path) => can(() => writeFileSync(path + "/x", "")) || can(() => readFileSync(path)))
const [, caps] = /CapEff:\\s+(\\w+)/.exec(readFileSync("/proc/self/status", "utf8"))
const seen = { uid: process.getuid(), capabilities: parseInt(caps, 16), read, env: process.env }
writeFileSync("seen.json", JSON.stringify(seen))
console.log("it has looked around")
`
