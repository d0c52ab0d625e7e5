/** A second user of the machine, which runs the code of projects. */
import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { AppError } from '../core/errors.ts'

export interface SecondUser {
  name: string
  uid: number
  gid: number
}

/** Other users may pass through the folder, but not list it. */
const PASSAGE = 0o711
const READABLE = 0o755
const PRIVATE_FOLDER = 0o700
const PRIVATE_FILE = 0o600
/**
 * The folders of the data folder through which projects are reached. All others are closed to other
 * users.
 */
const PASSAGES = ['builds', 'deployments']
const PASSAGES_OF_BUILDS = ['revisions', 'nodes', 'uvs', 'pythons', 'homes']

/** Throws `bad_request` when there is no such user. */
export function findUser(name: string): SecondUser {
  try {
    const ask = (what: string) => Number(execFileSync('id', [what, name], { stdio: 'pipe' }))
    return { name, uid: ask('-u'), gid: ask('-g') }
  } catch (cause) {
    const mend = `make it with "useradd --system ${name}", or name another`
    throw new AppError('bad_request', `RUNYARD_SANDBOX: there is no user ${name}; ${mend}.`, {
      cause,
    })
  }
}

/** The paths that the user can read. `undefined`: the user of this process. */
export function readableBy(user: SecondUser | undefined, paths: readonly string[]): string[] {
  const script = `
    const { accessSync, constants: { R_OK } } = require('node:fs')
    const canRead = (path) => { try { accessSync(path, R_OK); return true } catch { return false } }
    console.log(JSON.stringify(JSON.parse(process.argv[1]).filter(canRead)))`
  const as = user && { uid: user.uid, gid: user.gid }
  const args = ['-e', script, JSON.stringify([...new Set(paths)])]
  const found = execFileSync(process.execPath, args, { ...as, cwd: '/', stdio: 'pipe' })
  return JSON.parse(found.toString()) as string[]
}

/** Closes the whole data folder to other users, except for the ways to the projects. */
export function closeDataFolder(dataDir: string): void {
  chmodSync(dataDir, PASSAGE)
  closeAllBut(dataDir, PASSAGES)
  closeAllBut(join(dataDir, 'builds'), PASSAGES_OF_BUILDS)
}

function closeAllBut(folder: string, open: readonly string[]): void {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: PASSAGE })
  chmodSync(folder, PASSAGE)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (open.includes(entry.name) || entry.isSymbolicLink()) continue
    chmodSync(join(folder, entry.name), entry.isDirectory() ? PRIVATE_FOLDER : PRIVATE_FILE)
  }
}

/** Lets others read a folder that lies below the data folder. */
export function openToAll(dataDir: string, folder: string): void {
  if (relative(dataDir, folder).startsWith('..') || !existsSync(folder)) return
  openWay(dataDir, folder)
  if (statSync(folder).uid === process.getuid?.()) chmodSync(folder, READABLE)
}

/** Lets others pass from the data folder to a folder that lies below it. */
export function openWay(dataDir: string, folder: string): void {
  const way = relative(dataDir, dirname(folder))
  if (way.startsWith('..')) return
  let at = dataDir
  for (const name of way.split(sep).filter(Boolean)) {
    at = join(at, name)
    chmodSync(at, PASSAGE)
  }
}

/** Makes the folder if it is missing, and makes the user the owner of everything in it. */
export function giveTo({ uid, gid }: SecondUser, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER })
  const { uid: owner } = statSync(folder)
  // The user made everything in a folder of its own.
  if (owner === uid) return
  execFileSync('chown', ['-hR', `${uid}:${gid}`, folder], { stdio: 'pipe' })
  chmodSync(folder, PRIVATE_FOLDER)
}

/** `giveTo` for a large folder that this process has made. It does not block other work meanwhile. */
export async function handOverTo({ uid, gid }: SecondUser, folder: string): Promise<void> {
  await promisify(execFile)('chown', ['-hR', `${uid}:${gid}`, folder])
  chmodSync(folder, PRIVATE_FOLDER)
}
