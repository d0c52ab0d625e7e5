/**
 * Finds the place from which to import a package on the project's behalf. A project often depends on `langchain` alone,
 * which brings LangGraph along: with a package manager that separates packages (pnpm), only `langchain` can import it
 * then.
 */
import { constants, open, realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { AppError } from '../../../core/errors.ts'
import { isMissing } from '../../../project/path.ts'

/** No manifest is larger; in bytes. */
const MAX_MANIFEST_BYTES = 4 * 1024 ** 2

interface Manifest {
  version: string
  dependencies?: Record<string, string>
}

interface FoundPackage {
  version: string
  /** Links resolved. */
  folder: string
  /** A file that can import it: the one asked for, or one of its dependencies. */
  home: string
}

/** The package as the file imports it; or, if it cannot, as the first of its dependencies that can. */
export async function findPackage(file: string, name: string): Promise<FoundPackage | undefined> {
  const own = await lookFrom(file, name)
  if (own) return own
  for (const dependency of await dependenciesOf(file)) {
    const carrier = await lookFrom(file, dependency)
    const found = carrier && (await lookFrom(join(carrier.folder, 'package.json'), name))
    if (found) return found
  }
  return undefined
}

/** A file that can import what `specifier` names (`@scope/name/path`); the file itself if none can. */
export async function packageHome(file: string, specifier: string): Promise<string> {
  const parts = specifier.split('/', specifier.startsWith('@') ? 2 : 1)
  return (await findPackage(file, parts.join('/')))?.home ?? file
}

async function lookFrom(home: string, name: string): Promise<FoundPackage | undefined> {
  for (const folder of createRequire(home).resolve.paths(name) ?? []) {
    const manifest = await readManifest(join(folder, name, 'package.json'))
    if (!manifest) continue
    return { version: manifest.version, folder: await realpath(join(folder, name)), home }
  }
  return undefined
}

/** The dependencies that the nearest `package.json` above the file names. */
async function dependenciesOf(file: string): Promise<string[]> {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const manifest = await readManifest(join(folder, 'package.json'))
    if (manifest) return Object.keys(manifest.dependencies ?? {})
    if (folder === dirname(folder)) return []
  }
}

/**
 * Throws `bad_request` for what is no manifest. A project's commands may put anything there: reading a pipe would never
 * end, and the parser's message would quote parts of another file.
 */
async function readManifest(path: string): Promise<Manifest | undefined> {
  try {
    const text = await readSmallFile(path)
    return text === undefined ? undefined : JSON.parse(text)
  } catch (cause) {
    throw new AppError('bad_request', `${path} is no JSON file: install the package again.`, {
      cause,
    })
  }
}

async function readSmallFile(path: string): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause) => {
    if (isMissing(cause)) return undefined
    throw cause
  })
  try {
    const stats = await file?.stat()
    if (stats && (!stats.isFile() || stats.size > MAX_MANIFEST_BYTES))
      throw new TypeError('no file')
    return await file?.readFile('utf8')
  } finally {
    await file?.close()
  }
}
