/** A key for what is installed from an index: two environments with the same key have the same packages. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readTextFile } from '../../project/files.ts'
import type { FoundPython } from './interpreter.ts'
import { hasOnlyWheels } from './locked-wheels.ts'
import type { PythonPlan } from './plan.ts'

interface Surroundings {
  /** The version of uv, and which installer the project asks for. */
  uv: string
  installer: string
  python: FoundPython
  env: Readonly<Record<string, string>>
}

/**
 * The key; or why there is none, because the result may depend on anything. `isShareable`: other deployments can use
 * the result, since nothing was built for it by code that may read this deployment's variables.
 */
type EnvironmentKey = { key: string; isShareable: boolean } | { reason: string }

/** Variables that installers read, but for where they install to. (A model's key is not one of them.) */
const READ_VARIABLES = /^(uv|pip)_(?!(project_environment|python)$)/i

/**
 * The key covers the lock file with the settings beside it, uv and its settings, the Python and the platform.
 * Requirements that all have a hash count as a lock: pip and uv then install nothing else.
 */
export async function environmentKey(
  plan: PythonPlan,
  { uv, installer, python, env }: Surroundings,
): Promise<EnvironmentKey> {
  const files = await lockFiles(plan)
  if (files === undefined) return { reason: 'there is no uv.lock' }
  const hash = createHash('sha256')
  const add = (...texts: string[]) => hash.update(`${JSON.stringify(texts)}\n`)
  add(
    uv,
    installer,
    python.path,
    python.version,
    process.platform,
    process.arch,
    plan.locked?.package ?? '',
  )
  const variables = Object.entries(env).filter(([name]) => READ_VARIABLES.test(name))
  for (const [name, value] of variables.sort(([a], [b]) => (a < b ? -1 : 1))) {
    // Paths differ between revisions: the file's text counts.
    add(name, name === 'PIP_CONFIG_FILE' ? await readTextFile(value).catch(() => value) : value)
  }
  for (const [name, text] of files) add(name, text)
  const isShareable = plan.locked !== undefined && isUnpacked(files, { python, env })
  return { key: hash.digest('hex'), isShareable }
}

/** Of a locked project, whose first file is `uv.lock`. `no-binary` has uv build packages that have wheels. */
function isUnpacked(
  [lock, ...settings]: NamedText[],
  { python, env }: Pick<Surroundings, 'python' | 'env'>,
): boolean {
  const isBinary =
    settings.every(([, text]) => !text.includes('no-binary')) &&
    Object.keys(env).every((name) => !/^UV_NO_BINARY/i.test(name))
  return isBinary && hasOnlyWheels(lock?.[1] ?? '', python.version)
}

type NamedText = [name: string, text: string]

async function lockFiles(plan: PythonPlan): Promise<NamedText[] | undefined> {
  const { locked, requirementFiles, editables, requirements } = plan
  if (locked) {
    const folders = [...new Set([locked.top, locked.folder])]
    const names = ['uv.lock', 'pyproject.toml', 'uv.toml']
    return readAll(folders.flatMap((folder) => names.map((name) => join(folder, name))))
  }
  if (editables.length > 0 || requirements.length > 0 || requirementFiles.length === 0) {
    return undefined
  }
  const texts = await readAll(requirementFiles)
  return texts.every(([, text]) => isHashed(text)) ? texts : undefined
}

async function readAll(paths: string[]): Promise<NamedText[]> {
  const texts = await Promise.all(
    paths.map(async (path) => [path, await readTextFile(path).catch(() => '')] as NamedText),
  )
  // Paths differ between revisions; their order does not.
  return texts.map(([, text], at) => [String(at), text])
}

function isHashed(text: string): boolean {
  const lines = text
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')
  return lines.length > 0 && lines.every((line) => /==.*--hash=/.test(line))
}
