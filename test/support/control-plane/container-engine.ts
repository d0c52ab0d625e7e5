/**
 * A container engine of the tests' own: podman's service on a socket in a temporary folder, which keeps
 * everything there. `TEST_DOCKER_HOST` names another one (`unix://…`) instead.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import Docker from 'dockerode'
import { endTogether } from '../processes/end-together.ts'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../../..')

/** Machines without systemd, and without the right to raise limits. */
const CONFIGURATION = `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=1000:1000"]
log_driver = "k8s-file"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
`

/** Those of the tests listen on the loopback without TLS. */
const REGISTRIES = '[[registry]]\nlocation = "127.0.0.1"\ninsecure = true\n'

export interface ContainerEngine {
  /** What `RUNYARD_DOCKER_HOST` takes. */
  host: string
  docker: Docker
  /** Puts a folder into the engine as an image with the link's label; nothing is fetched from anywhere. */
  importImage(folder: string, name: string, entrypoint: string[]): Promise<void>
  /** Puts the images of an archive (`docker save`) into the engine, with their names. */
  loadImage(archive: string): Promise<void>
  /** Ends the service, and begins it again on the same socket; containers go on. */
  stopService(): Promise<void>
  startService(): Promise<void>
  /** Removes every container with it. */
  stop(): Promise<void>
}

export async function startContainerEngine(): Promise<ContainerEngine> {
  const dir = await mkdtemp(join(tmpdir(), 'engine-'))
  const config = join(dir, 'containers.conf')
  const networks = join(dir, 'networks')
  await mkdir(networks)
  await writeFile(config, `${CONFIGURATION}network_config_dir = "${networks}"\n`)
  const registries = join(dir, 'registries.conf')
  await writeFile(registries, REGISTRIES)
  const socket = join(dir, 'engine.sock')
  const host = process.env.TEST_DOCKER_HOST ?? `unix://${socket}`
  const docker = new Docker({ socketPath: host.replace('unix://', '') })
  const where = ['--root', join(dir, 'root'), '--runroot', join(dir, 'run')]
  const args = [...where, '--storage-driver', 'overlay', 'system', 'service', '-t', '0', host]
  const isOurs = process.env.TEST_DOCKER_HOST === undefined
  let service: ChildProcess | undefined
  const startService = async () => {
    if (!isOurs) return
    await rm(socket, { force: true })
    const settings = { CONTAINERS_CONF: config, CONTAINERS_REGISTRIES_CONF: registries }
    const env = { ...process.env, ...settings, TMPDIR: dir }
    // What watches its containers leaves files where it works.
    service = spawn('podman', args, { env, cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] })
    endTogether(service, 'SIGTERM')
    let said = ''
    service.stderr?.on('data', (chunk) => {
      said += chunk
    })
    service.on('error', (error) => {
      said += error.message
    })
    await untilThere(docker, () => said)
  }
  const stopService = async () => {
    if (!service || service.exitCode !== null || service.signalCode !== null) return
    const exited = once(service, 'exit')
    // It would wait for those who follow output.
    service.kill('SIGKILL')
    await exited
  }
  await startService()
  return {
    host,
    docker,
    importImage: (folder, name, entrypoint) => importImage(docker, folder, name, entrypoint),
    async loadImage(archive) {
      const progress = await docker.loadImage(createReadStream(archive))
      await new Promise((done, fail) => {
        docker.modem.followProgress(progress, (error) => (error ? fail(error) : done(undefined)))
      })
    },
    startService,
    stopService,
    async stop() {
      await removeOurs(docker)
      await stopService()
      if (isOurs) await unmount(dir)
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Rejects with what it has printed when it is not there within two minutes. */
async function untilThere(docker: Docker, said: () => string): Promise<void> {
  for (const limit = AbortSignal.timeout(120_000); ; ) {
    if (
      await docker.ping().then(
        () => true,
        () => false,
      )
    )
      return
    if (limit.aborted) throw new Error(`There is no container engine: ${said()}`)
    await delay(50)
  }
}

async function removeOurs(docker: Docker): Promise<void> {
  const filters = { label: ['runyard.installation'] }
  for (const { Id } of await docker.listContainers({ all: true, filters })) {
    await docker
      .getContainer(Id)
      .remove({ force: true, v: true })
      .catch(() => {})
  }
  for (const { Id } of await docker.listNetworks({ filters: JSON.stringify(filters) })) {
    await docker
      .getNetwork(Id)
      .remove()
      .catch(() => {})
  }
}

/** What is mounted below the folder, the innermost first: it could not be removed else. */
async function unmount(dir: string): Promise<void> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n')
  const below = mounts
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(dir))
  for (const path of below.toReversed()) await run('umount', ['-l', path]).catch(() => {})
}

async function importImage(docker: Docker, folder: string, name: string, entrypoint: string[]) {
  const [repo = name, tag = 'latest'] = name.split(':')
  const tar = spawn('tar', ['-C', folder, '-c', '.'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const changes = [
    `ENTRYPOINT ${JSON.stringify(entrypoint)}`,
    'LABEL runyard.link=1',
    'WORKDIR /project',
  ]
  const options = { fromSrc: '-', repo, tag, changes }
  await new Promise<void>((done, fail) => {
    docker.importImage(tar.stdout as NodeJS.ReadableStream, options, (error, stream) => {
      if (error || !stream) return fail(error ?? new Error('there is no answer'))
      docker.modem.followProgress(stream, (failure) => (failure ? fail(failure) : done()))
    })
  })
  // Podman takes the name without its tag.
  if (repo)
    await docker
      .getImage(repo)
      .tag({ repo, tag })
      .catch(() => {})
}

/**
 * A folder with what an image needs at the least: this Node with its libraries, and `files` (from here to
 * there). To be removed by the caller.
 */
export async function imageFolder(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'image-'))
  await chmod(folder, 0o755)
  for (const name of ['bin', 'etc', 'project', 'proc', 'sys', 'dev', 'run']) {
    await mkdir(join(folder, name), { mode: 0o755 })
  }
  await mkdir(join(folder, 'tmp'))
  await chmod(join(folder, 'tmp'), 0o1777)
  for (const program of [process.execPath, '/bin/sh']) {
    await put(program, join(folder, 'bin', program === '/bin/sh' ? 'sh' : 'node'))
    const { stdout } = await run('ldd', [program])
    for (const [library] of stdout.matchAll(/\/\S+/g)) {
      if (existsSync(library)) await put(library, join(folder, library))
    }
  }
  for (const [from, to] of Object.entries(files)) await put(resolve(ROOT, from), join(folder, to))
  return folder
}

async function put(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o755 })
  await cp(from, to, { recursive: true, dereference: true })
}
