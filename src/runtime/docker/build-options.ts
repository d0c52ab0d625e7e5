/** The engine's options for the container of one build command. */
import { existsSync } from 'node:fs'
import { chmod, mkdir, realpath, stat } from 'node:fs/promises'
import type Docker from 'dockerode'
import type { CommandView } from '../../core/deployment/builds/project-commands.ts'
import { placesBelow } from '../../core/deployment/sandbox.ts'
import { BUILD_CPU_SHARES } from './limits.ts'
import { giveTo } from './user.ts'

interface BuildNeeds {
  image: string
  /** `UID:GID` */
  user: string
  cpus: number
  maxMemoryBytes: number
  /** Files of the operator that every command reads. */
  files: readonly string[]
}

/** Processes and threads. Package managers start one for each processor and more. */
const MOST_PROCESSES = 1024
/** The build's log keeps the output: the engine only passes it on. */
const KEPT_OUTPUT = '50m'
/** Reads the environment first, so that neither `inspect` nor a disk has it. */
const WRAPPER = '. /dev/stdin && exec "$@" </dev/null'
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Returns all but name, labels and network. Makes the folders that the command may write to. */
export async function buildContainerOptions(
  command: readonly [string, ...string[]],
  view: CommandView,
  { image, user, cpus, maxMemoryBytes, files }: BuildNeeds,
): Promise<Docker.ContainerCreateOptions> {
  return {
    Image: image,
    User: user,
    WorkingDir: view.cwd,
    Entrypoint: ['/bin/sh', '-c', WRAPPER, 'sh'],
    Cmd: [...command],
    // An image's own check would run beside it.
    Healthcheck: { Test: ['NONE'] },
    ...{ OpenStdin: true, StdinOnce: true, AttachStdin: true },
    HostConfig: {
      Memory: maxMemoryBytes,
      MemorySwap: maxMemoryBytes,
      NanoCpus: Math.round(cpus * 1e9),
      CpuShares: BUILD_CPU_SHARES,
      PidsLimit: MOST_PROCESSES,
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': `rw,exec,nosuid,nodev,mode=1777,size=${Math.floor(maxMemoryBytes / 2)}` },
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      RestartPolicy: { Name: 'no' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': KEPT_OUTPUT } },
      Binds: await bindsOf(view, { user, files }),
    },
  }
}

/** Exports the variables in lines of a shell, which allows no other names. */
export function exportsOf({ variables, writable }: CommandView): string {
  const all = { ...variables, ...placesBelow(writable.at(-1) ?? '/tmp') }
  const lines = Object.entries(all)
    .filter(([name, value]) => NAME.test(name) && !value.includes('\0'))
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'`)
  return `${lines.join('\n')}\n`
}

/** Files lie in the container where they lie here. */
async function bindsOf(
  { readable, writable }: CommandView,
  { user, files }: Pick<BuildNeeds, 'user' | 'files'>,
): Promise<string[]> {
  const toRead = [...new Set([...readable, ...files])].filter((path) => existsSync(path))
  for (const path of readable) await openToAll(path)
  for (const path of writable) await makeFor(user, path)
  const binds = [
    ...toRead.map((path) => [path, 'ro'] as const),
    ...writable.map((path) => [path, 'rw'] as const),
  ]
  const targets = await Promise.all(
    binds.map(async ([path, how]) => {
      const real = await realpath(path)
      // A data folder may lie behind a link.
      return [...new Set([path, real])].map((target) => `${real}:${target}:${how}`)
    }),
  )
  return targets.flat()
}

async function makeFor(user: string, path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  if (process.getuid?.() === 0) giveTo(path, user)
}

/** Lets others read what Runyard has installed for all; the data folder stays closed to them. */
async function openToAll(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() && found.uid === process.getuid?.()) await chmod(path, 0o755)
}
