/** Finds the Python for a project's graphs, if no build has made an environment for them. */
import { execFile } from 'node:child_process'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { OLDEST_LANGGRAPH } from '../../core/deployment/builds/langgraph.ts'
import { AppError } from '../../core/errors.ts'
import { isOlder } from '../../core/package-version.ts'
import type { Environment } from '../../settings/values.ts'
import { isThere } from '../files.ts'

/** A Python that can run graphs. */
interface Interpreter {
  /** Absolute, links not resolved: its path identifies an environment. */
  path: string
  /** Such as `3.11.7`. */
  version: string
  /** The version of its LangGraph. */
  langgraph: string
  /** The folder outside of the environment that it reads: that of the Python that it was made of. */
  base: string
}

/** The oldest that works. */
const OLDEST_PYTHON = '3.11'

/**
 * The first of these that has LangGraph: the environment that `VIRTUAL_ENV` names, the one of uv's
 * `UV_PROJECT_ENVIRONMENT`, `.venv` beside `langgraph.json` or, in a workspace, in a folder above, and the machine's
 * `python3`. Throws `bad_request`, with a sentence that names the places searched, or what is too old.
 */
export async function findInterpreter(root: string, env: Environment): Promise<Interpreter> {
  const seen: string[] = []
  for (const { path, name } of await candidatesOf(root, env)) {
    const found = await inspectInterpreter(path, env)
    if (typeof found === 'string') seen.push(`${name} (${found})`)
    else if (found.langgraph === null)
      seen.push(`${name} (Python ${found.version}, without LangGraph)`)
    else return checkInterpreter({ ...found, langgraph: found.langgraph }, name)
  }
  throw new AppError(
    'bad_request',
    `The project's graphs are in Python, and no Python with LangGraph was found: looked at ${seen.join(', ')}. ` +
      'In the folder of langgraph.json, run `python3 -m venv .venv && .venv/bin/pip install langgraph`, and ' +
      'install what else the project needs; or run `uv sync`.',
  )
}

/** Throws `bad_request` for one that is too old. `name`: its name for people. */
function checkInterpreter(interpreter: Interpreter, name: string): Interpreter {
  const { version, langgraph } = interpreter
  if (isOlder(version, OLDEST_PYTHON)) {
    throw new AppError(
      'bad_request',
      `${name} is Python ${version}, and Runyard needs ${OLDEST_PYTHON} or newer.`,
    )
  }
  if (!isOlder(langgraph, OLDEST_LANGGRAPH.python)) return interpreter
  throw new AppError(
    'bad_request',
    `${name} has LangGraph ${langgraph}, and Runyard needs ${OLDEST_LANGGRAPH.python} or newer: ` +
      `install "langgraph>=${OLDEST_LANGGRAPH.python}".`,
  )
}

interface Candidate {
  path: string
  name: string
}

async function candidatesOf(root: string, env: Environment): Promise<Candidate[]> {
  const { VIRTUAL_ENV, UV_PROJECT_ENVIRONMENT } = env
  const candidates: Candidate[] = []
  if (VIRTUAL_ENV)
    candidates.push({ path: pythonOf(VIRTUAL_ENV), name: `VIRTUAL_ENV ${VIRTUAL_ENV}` })
  if (UV_PROJECT_ENVIRONMENT) {
    const folder = isAbsolute(UV_PROJECT_ENVIRONMENT)
      ? UV_PROJECT_ENVIRONMENT
      : join(root, UV_PROJECT_ENVIRONMENT)
    candidates.push({ path: pythonOf(folder), name: `UV_PROJECT_ENVIRONMENT ${folder}` })
  }
  const folder = await findVenv(root)
  candidates.push({ path: pythonOf(folder), name: folder })
  return [...candidates, { path: 'python3', name: "the machine's python3" }]
}

function pythonOf(environment: string): string {
  return join(environment, 'bin', 'python')
}

/** `.venv` of the folder, or of the nearest above that has one, up to the top of the repository. */
async function findVenv(root: string): Promise<string> {
  for (let folder = root; ; folder = dirname(folder)) {
    if (await isThere(join(folder, '.venv', 'bin', 'python'))) return join(folder, '.venv')
    const isTop = (await isThere(join(folder, '.git'))) || dirname(folder) === folder
    if (isTop || basename(folder).startsWith('.')) return join(root, '.venv')
  }
}

/** `-I`: neither the folder that it runs in nor Python's variables change the result. */
const LOOK = `
import importlib.metadata as metadata, json, platform, sys
try:
    langgraph = metadata.version("langgraph")
except metadata.PackageNotFoundError:
    langgraph = None
print(json.dumps({
    "path": sys.executable, "version": platform.python_version(),
    "langgraph": langgraph, "base": sys.base_prefix,
}))`
const LOOK_MS = 20_000

/** Describes the Python at the path, with or without LangGraph; half a sentence if there is none. */
async function inspectInterpreter(
  path: string,
  env: Environment,
): Promise<(Omit<Interpreter, 'langgraph'> & { langgraph: string | null }) | string> {
  try {
    const { stdout } = await promisify(execFile)(path, ['-I', '-c', LOOK], {
      timeout: LOOK_MS,
      env,
    })
    return JSON.parse(stdout)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? 'not there' : 'does not answer'
  }
}
