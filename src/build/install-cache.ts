/**
 * Keeps the installed packages of a deployment's last builds: a build with an unchanged lock file installs nothing.
 * The first build of a deployment copies them from another deployment of its workspace, if one has the same.
 *
 * ```
 * <all>/<key>/<folder of the project>/node_modules/   `all`: of one deployment and one language
 * <all>/part-<uuid>/   unfinished; left by a crash, removed by the next build
 * <dir>/shared/<hash of workspace and key>/…   the same content; no project runs from it
 * ```
 *
 * Each deployment has its own files, so no project can change what another runs. Within a deployment they are linked,
 * not copied: 21,000 files of 600 MB took 0.4 s where a copy took 3.4 s, and use no space.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { BuildError } from '../core/deployment/builds/build.ts'
import { runCommand } from './command.ts'
import {
  environmentsFolder,
  installsFolder,
  sharedInstallsFolder,
  unfinishedFolder,
} from './layout.ts'
import type { StepContext } from './step.ts'

/** How many installs are kept for a deployment: the present one, and one to go back to. */
const KEPT = 2
/** How many installs are shared, of all workspaces: those that were used last. */
const SHARED = 20
const LINK_LIMIT_MS = 5 * 60_000
const UNFINISHED = 'part-'

/** Where a project's packages are kept. */
export interface InstallPlace {
  /** The folder of the deployment's kept packages. */
  all: string
  key: string
  /** Absent: other deployments cannot use these packages. */
  sharing?: Sharing
  /** Finds the package folders below a folder. */
  packagesIn(folder: string): Promise<string[]>
  /** Called when there are kept packages, before they are put into place. */
  onFound?(): void
}

/** Members of a workspace can change each of its deployments anyway, so its deployments share packages. */
interface Sharing {
  /** The builder's folder. */
  dir: string
  workspace_id: string
}

/** Restores packages below `folder`: those that this deployment has kept, or else shared ones. `undefined`: neither. */
export async function restoreInstall(
  place: InstallPlace,
  folder: string,
  context: StepContext,
): Promise<'kept' | 'shared' | undefined> {
  const kept = join(place.all, place.key)
  const found = (await exists(kept)) ? 'kept' : await takeShared(place, context)
  if (!found) return undefined
  const where = found === 'kept' ? 'an earlier build' : 'another deployment'
  context.log.line(`Nothing to install: the packages of ${where} are the same.`)
  place.onFound?.()
  for (const path of await place.packagesIn(kept)) {
    await link(path, join(folder, relative(kept, path)), context)
  }
  const now = new Date()
  await utimes(kept, now, now)
  return found
}

/**
 * Keeps the packages below `folder`, and those of one earlier install at most. Shares them if `place` does; an error of
 * that is only logged.
 */
export async function keepInstall(
  place: InstallPlace,
  folder: string,
  context: StepContext,
): Promise<void> {
  const paths = await place.packagesIn(folder)
  const { all, key, sharing } = place
  await fill(join(all, key), join(all, UNFINISHED + randomUUID()), async (unfinished) => {
    for (const path of paths) await link(path, join(unfinished, relative(folder, path)), context)
  })
  await removeOld(all)
  if (!sharing) return
  try {
    const shared = sharedInstall(sharing, key)
    if (await exists(shared)) return
    await fill(shared, unfinishedInstall(sharing), async (unfinished) => {
      for (const path of paths) await copy(path, join(unfinished, relative(folder, path)), context)
    })
    await removeOldShared(sharing)
  } catch (error) {
    context.signal.throwIfAborted()
    context.log.line(`The packages could not be shared: ${(error as Error).message}`)
  }
}

/** Copies what another deployment has installed. `undefined`: there is none, or it could not be copied. */
async function takeShared(
  place: InstallPlace,
  context: StepContext,
): Promise<'shared' | undefined> {
  const { all, key, sharing } = place
  const shared = sharing && sharedInstall(sharing, key)
  if (!shared || !(await exists(shared))) return undefined
  const now = new Date()
  try {
    await utimes(shared, now, now)
    await fill(join(all, key), join(all, UNFINISHED + randomUUID()), async (unfinished) => {
      for (const path of await place.packagesIn(shared)) {
        await copy(path, join(unfinished, relative(shared, path)), context)
      }
    })
  } catch (error) {
    context.signal.throwIfAborted()
    // Another build may just have removed them.
    context.log.line(`Shared packages could not be copied: ${(error as Error).message}`)
    return undefined
  }
  await removeOld(all)
  return 'shared'
}

/** Fills `unfinished`, then moves it to `folder` as a whole. Another build may have been quicker. */
async function fill(
  folder: string,
  unfinished: string,
  work: (unfinished: string) => Promise<void>,
): Promise<void> {
  await mkdir(unfinished, { recursive: true, mode: 0o700 })
  try {
    await work(unfinished)
    await mkdir(dirname(folder), { recursive: true, mode: 0o700 })
    await rename(unfinished, folder).catch(async (error) => {
      if (!(await exists(folder))) throw error
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

function sharedInstall({ dir, workspace_id }: Sharing, key: string): string {
  const name = createHash('sha256').update(`${workspace_id} ${key}`).digest('hex')
  return join(sharedInstallsFolder(dir), name)
}

function unfinishedInstall({ dir }: Sharing): string {
  return join(unfinishedFolder(dir), randomUUID())
}

/** Removes all that is kept for a deployment. */
export async function removeInstalls(dir: string, deployment_id: string): Promise<void> {
  await rm(installsFolder(dir, deployment_id), { recursive: true, force: true })
  await rm(environmentsFolder(dir, deployment_id), { recursive: true, force: true })
}

function link(from: string, to: string, context: StepContext): Promise<void> {
  // Only GNU's cp can link; elsewhere the files are copied.
  return copy(from, to, context, process.platform === 'linux' ? '-al' : '-a')
}

async function copy(from: string, to: string, context: StepContext, flags = '-a'): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  const end = await runCommand(['cp', flags, from, to], {
    cwd: dirname(to),
    // Not the project's variables: this runs outside of its sandbox.
    env: { PATH: context.env.PATH ?? '' },
    signal: context.signal,
    limitMs: LINK_LIMIT_MS,
    maxMemoryBytes: context.limits.maxMemoryBytes,
    onLine: (line) => context.log.line(line),
  })
  if (end.code !== 0) {
    throw new BuildError('install', `Copying the packages of ${from} ended with ${end.code}.`)
  }
}

/** Removes unfinished installs. Builds of a deployment never overlap, so a crash has left them. */
async function removeOld(all: string): Promise<void> {
  const names = await readdir(all)
  const installs = names.filter((name) => !name.startsWith(UNFINISHED))
  const unfinished = names.filter((name) => name.startsWith(UNFINISHED))
  for (const name of [...(await unused(all, installs, KEPT)), ...unfinished])
    await rm(join(all, name), { recursive: true, force: true })
}

/** A build that copies one of them installs by itself: what it reads is moved away before it is removed. */
async function removeOldShared(sharing: Sharing): Promise<void> {
  const all = sharedInstallsFolder(sharing.dir)
  for (const name of await unused(all, await readdir(all), SHARED)) {
    const removed = unfinishedInstall(sharing)
    // Two builds may remove the same.
    await rename(join(all, name), removed).catch(() => {})
    await rm(removed, { recursive: true, force: true })
  }
}

/** All but the `kept` that were used last. */
async function unused(folder: string, names: string[], kept: number): Promise<string[]> {
  const dated = await Promise.all(
    names.map(async (name) => ({ name, usedAt: await usedAt(join(folder, name)) })),
  )
  return dated
    .sort((a, b) => b.usedAt - a.usedAt)
    .slice(kept)
    .map(({ name }) => name)
}

async function usedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
