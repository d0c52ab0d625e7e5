/** A Python with the official Python clients, as `test/peer/python/requirements.txt` pins them. */
import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

const PEER = resolve(import.meta.dirname, '../peer/python')
const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache')
/** Debian has `ensurepip` in a package of its own. */
const IS_USABLE = 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))'

const python = ['python3', 'python3.13', 'python3.12', 'python3.11'].find(
  (one) => spawnSync(one, ['-c', IS_USABLE]).status === 0,
)

/** Why there is none on this machine. */
export const NO_PYTHON = python ? undefined : 'there is no Python 3.11 or newer with ensurepip'

const CLIENTS = join(PEER, 'requirements.txt')

/**
 * Makes an environment with what a file of requirements pins, if there is none yet, which takes half a
 * minute. Answers its Python. Default: the official clients.
 */
export async function installPython(requirements: string | URL = CLIENTS): Promise<string> {
  const key = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
  const folder = join(CACHE, `python-${key.slice(0, 16)}`)
  if (existsSync(folder)) return join(folder, 'bin/python')
  const made = `${folder}.${process.pid}`
  await mkdir(CACHE, { recursive: true })
  await run(String(python), ['-m', 'venv', made])
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
  await run(join(made, 'bin/python'), [...install, '--requirement', pathOf(requirements)])
  // Another process may have been quicker.
  await rename(made, folder).catch(() => rm(made, { recursive: true, force: true }))
  return join(folder, 'bin/python')
}

function pathOf(file: string | URL): string {
  return typeof file === 'string' ? file : fileURLToPath(file)
}

/** Runs a script of the peer, and answers the JSON that it prints. */
export async function runPython(python: string, script: string, args: string[]): Promise<unknown> {
  const { stdout } = await run(python, [join(PEER, script), ...args], { timeout: 100_000 })
  return JSON.parse(stdout)
}
