/** Looks at a folder before it is sent: what would be, and whether a build could take it. */
import { access, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { AppError } from '../../core/errors.ts'
import { readProjectConfig } from '../../project/config.ts'
import { type KeptPath, listKept } from './pack.ts'

export interface SentFile {
  /** As `./way/to/it`. */
  path: string
  /** Not packed yet. */
  bytes: number
}

/**
 * Answers the files that would be sent. Throws `bad_request`, with a sentence that says what to do, where a
 * build would refuse the project. `isBuilt: false`: a command of the build makes files of it.
 */
export async function inspectFolder(
  folder: string,
  { isBuilt }: { isBuilt: boolean },
): Promise<SentFile[]> {
  const configPath = join(folder, 'langgraph.json')
  await access(configPath).catch((cause) => {
    const message = `There is no ${configPath}: name the folder of a project that has one.`
    throw new AppError('bad_request', message, { cause })
  })
  const { graphs } = await readProjectConfig(configPath, { isBuilt })
  const kept = await listKept(folder)
  if (isBuilt) for (const { file, path } of graphs) requireSent(folder, kept, { file, path })
  return Promise.all(
    kept
      .filter(({ isFolder }) => !isFolder)
      .map(async ({ path }) => ({ path, bytes: (await stat(join(folder, path))).size })),
  )
}

/** `file`: absolute; a module that Python finds by its name has none. */
function requireSent(
  folder: string,
  kept: KeptPath[],
  { file, path }: { file?: string | undefined; path: string },
): void {
  if (file === undefined) return
  const way = relative(folder, file).split(sep).join('/')
  // A link leads elsewhere: the build says whether it can follow it.
  if (way.startsWith('../') || kept.some((one) => one.path === `./${way}`)) return
  throw new AppError(
    'bad_request',
    `${path} is in the folder, but is not sent: .gitignore or .dockerignore names it. Take it out of ` +
      'there, or let the build make it (build_command).',
  )
}
