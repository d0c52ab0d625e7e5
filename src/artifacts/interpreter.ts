/**
 * The Python of an environment that was built elsewhere. Its links to the interpreter of that machine are
 * not packed; here they lead to one of the same minor version: the machine's own (the image's, in a pod),
 * or one that uv brings.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { AppError } from '../core/errors.ts'

/** The folder of the environment, as builds make it at the top of a project. */
const ENVIRONMENT = '.venv'
/** Where uv installs a Python: beside the project, so that a later start finds it. */
const BROUGHT = '.runyard-python'
const LOOK_MS = 30_000
const LIMIT_MS = 10 * 60_000

interface Surroundings {
  /** Where the folder will lie. */
  place: string
  path: string
  signal: AbortSignal
}

/** Does nothing if the folder has no environment, or its Python exists. */
export async function linkInterpreter(tree: string, at: Surroundings): Promise<void> {
  const environment = join(tree, ENVIRONMENT)
  const version = await versionOf(environment)
  if (version === undefined || existsSync(join(environment, 'bin/python'))) return
  const python = (await findOwn(version, at)) ?? (await bring(version, at))
  if (python === undefined) {
    throw new AppError(
      'conflict',
      `The project was built for Python ${version}, and there is none here: take an image that has it, or ` +
        `let uv fetch it (uv python install ${version}), or build with the Python of the image ("python_version").`,
    )
  }
  for (const name of ['python', 'python3', `python${version}`]) {
    await rm(join(environment, 'bin', name), { force: true })
    await symlink(python, join(environment, 'bin', name))
  }
  await renameHome(join(environment, 'pyvenv.cfg'), dirname(python))
}

/** `3.12`, by the folder of its packages. */
async function versionOf(environment: string): Promise<string | undefined> {
  const names = await readdir(join(environment, 'lib')).catch(() => [])
  const found = names.map((name) => /^python(3\.\d+)$/.exec(name)?.[1])
  return found.find((version) => version !== undefined)
}

/** A Python on the PATH may be a script that picks one: it is asked for the program itself. */
async function findOwn(version: string, at: Surroundings): Promise<string | undefined> {
  for (const folder of at.path.split(delimiter)) {
    const python = join(folder, `python${version}`)
    if (folder === '' || !existsSync(python)) continue
    const program = await programOf(python, at)
    if (program !== undefined) return program
  }
  return undefined
}

const WHERE =
  'import os, sys; print(os.path.realpath(getattr(sys, "_base_executable", sys.executable)))'

async function programOf(python: string, at: Surroundings): Promise<string | undefined> {
  const env = { PATH: at.path, HOME: at.place }
  const limits = { env, signal: at.signal, timeout: LOOK_MS }
  const asked = promisify(execFile)(python, ['-I', '-S', '-c', WHERE], limits)
  const program = await asked.then(({ stdout }) => stdout.trim()).catch(() => '')
  at.signal.throwIfAborted()
  return existsSync(program) ? program : undefined
}

async function bring(version: string, at: Surroundings): Promise<string | undefined> {
  const { place, path, signal } = at
  const env = {
    PATH: path,
    HOME: place,
    UV_PYTHON_INSTALL_DIR: join(place, BROUGHT),
    UV_NO_CACHE: '1',
  }
  const uv = (...args: string[]) =>
    promisify(execFile)('uv', ['python', ...args], { env, signal, timeout: LIMIT_MS })
  const found = async () => (await uv('find', '--system', '--no-project', version)).stdout.trim()
  const python = await found()
    .catch(async () => {
      await uv('install', '--no-bin', '--no-config', version)
      return found()
    })
    .catch(() => undefined)
  signal.throwIfAborted()
  return python && existsSync(python) ? realpath(python) : undefined
}

async function renameHome(file: string, home: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  await writeFile(
    file,
    text.replace(/^home\s*=.*$/m, () => `home = ${home}`),
  )
}
