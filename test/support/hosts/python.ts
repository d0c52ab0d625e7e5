/** Pythons with what files of requirements pin: the official Python clients, the host's tests. */
import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasProgram, run } from '../processes/program.ts'

const PEER = resolve(import.meta.dirname, '../../peer/python')
const CACHE = resolve(import.meta.dirname, '../../../node_modules/.cache')
/** Debian has `ensurepip` in a package of its own. */
const IS_USABLE = 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))'

const python = ['python3', 'python3.13', 'python3.12', 'python3.11'].find((one) =>
  hasProgram(one, ['-c', IS_USABLE]),
)

/** Why there is none on this machine. */
export const NO_PYTHON = python ? undefined : 'there is no Python 3.11 or newer with ensurepip'

const CLIENTS = join(PEER, 'requirements.txt')
const OF_HOST = resolve(import.meta.dirname, '../../../hosts/python/requirements-dev.txt')
/** Installs in a tenth of pip's time, and makes environments in a twentieth of the time that `venv` takes. */
const UV_VERSION = '0.13.9'

/** A Python with LangGraph and all else that tests of the Python host and of its projects need. */
export function installHostPython(): Promise<string> {
  return installPython(OF_HOST, { isCompiled: true })
}

/** Makes it the active one, as a person does: servers that are started in this process find it. */
export async function activateHostPython(): Promise<void> {
  process.env.VIRTUAL_ENV = dirname(dirname(await installHostPython()))
}

/** The uv of the environment for the host. */
export function uvOf(python: string): string {
  return join(dirname(python), 'uv')
}

/** The PATH of this process with uv on it, for builds: they would fetch one. */
export async function pathWithUv(): Promise<string> {
  const folder = join(CACHE, 'uv')
  await mkdir(folder, { recursive: true })
  await symlink(uvOf(await installHostPython()), join(folder, 'uv')).catch(() => {})
  return [folder, process.env.PATH].join(delimiter)
}

/**
 * Makes an environment with pip and what a file of requirements pins, if there is none yet, which takes
 * some seconds. Answers its Python. Default: the official clients. `isCompiled`: for one that is started many times;
 * where PYTHONDONTWRITEBYTECODE is set, each start would compile LangGraph.
 */
export async function installPython(
  requirements: string | URL = CLIENTS,
  { isCompiled = false }: { isCompiled?: boolean } = {},
): Promise<string> {
  const key = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
  const folder = await makeOnce(`python-${key.slice(0, 16)}`, async (made) => {
    const uv = uvOf(await installUv())
    await run(uv, ['venv', '--quiet', '--seed', '--no-project', '--python', String(python), made])
    const own = join(made, 'bin/python')
    const install = ['pip', 'install', '--quiet', '--link-mode', 'copy', '--python', own]
    const compile = isCompiled ? ['--compile-bytecode'] : []
    await run(uv, [...install, ...compile, '--requirement', pathOf(requirements)])
  })
  return join(folder, 'bin/python')
}

/** Answers the Python of an environment with nothing but uv, for all others. */
async function installUv(): Promise<string> {
  const folder = await makeOnce(`uv-${UV_VERSION}`, async (made) => {
    await run(String(python), ['-m', 'venv', made])
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
    await run(join(made, 'bin/python'), [...install, `uv==${UV_VERSION}`])
  })
  return join(folder, 'bin/python')
}

async function makeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(CACHE, name)
  if (existsSync(folder)) return folder
  const made = `${folder}.${randomUUID()}`
  await mkdir(CACHE, { recursive: true })
  await make(made)
  // Another process may have been quicker.
  await rename(made, folder).catch(() => rm(made, { recursive: true, force: true }))
  return folder
}

function pathOf(file: string | URL): string {
  return typeof file === 'string' ? file : fileURLToPath(file)
}

/** Runs a script of the peer, and answers the JSON that it prints. */
export async function runPython(python: string, script: string, args: string[]): Promise<unknown> {
  return JSON.parse(await run(python, [join(PEER, script), ...args], { timeoutMs: 200_000 }))
}
