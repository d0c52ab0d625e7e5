/** Checks a folder before it is sent: which files would be, and whether a build would accept it. */
import { access, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Language } from '../../core/deployment/artifacts/artifact.ts'
import { AppError } from '../../core/errors.ts'
import { readProjectConfig } from '../../project/config.ts'
import { type KeptPath, listKept } from './pack.ts'
import type { SentFolder } from './sent-folder.ts'

export interface SentFile {
  /** As `./path/to/it`. */
  path: string
  /** Before packing. */
  bytes: number
}

interface Inspection {
  files: SentFile[]
  /** The language whose rules apply to env files. */
  language: Language
  /** A build's notes on the configuration; a sentence each. */
  notes: string[]
}

/**
 * Returns what would be sent. Throws `bad_request`, with a sentence that says what to do, if a build would
 * refuse the project. `isBuilt: false`: a command of the build makes some of its files.
 */
export async function inspectFolder(
  { folder, configPath: way }: Pick<SentFolder, 'folder' | 'configPath'>,
  { isBuilt }: { isBuilt: boolean },
): Promise<Inspection> {
  const configPath = join(folder, way)
  await access(configPath).catch((cause) => {
    const message = `There is no ${configPath}: name the folder of a project that has one.`
    throw new AppError('bad_request', message, { cause })
  })
  const config = await readProjectConfig(configPath, { isBuilt, border: folder })
  const kept = await listKept(folder)
  const top = await realpath(folder)
  if (isBuilt) for (const { file, path } of config.graphs) requireSent(top, kept, { file, path })
  const files = await Promise.all(
    kept
      .filter(({ isFolder }) => !isFolder)
      .map(async ({ path }) => ({ path, bytes: (await stat(join(folder, path))).size })),
  )
  const { python, notes } = config
  return { files, language: python ? 'python' : 'javascript', notes }
}

/** `file`: absolute; absent for a module that Python finds by its name. */
function requireSent(
  folder: string,
  kept: KeptPath[],
  { file, path }: { file?: string | undefined; path: string },
): void {
  if (file === undefined) return
  const way = relative(folder, file).split(sep).join('/')
  // Outside the folder, as through a link: the build decides whether it can follow it.
  if (way.startsWith('../') || kept.some((one) => one.path === `./${way}`)) return
  throw new AppError(
    'bad_request',
    `${path} is in the folder, but is not sent: .gitignore or .dockerignore names it. Take it out of ` +
      'there, or let the build make it (build_command).',
  )
}
