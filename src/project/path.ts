/** Paths that a project's configuration names: always files inside the project's folder. */
import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { AppError } from '../core/errors.ts'

/**
 * The real path of a file that `langgraph.json` names, or `undefined` when there is no such file.
 * `root` is the real path of the project's folder; `what` begins the message of a refusal, which
 * is a `bad_request` for a path that is absolute, or leads out of the folder by `..` or by links.
 */
export async function resolveInside(
  root: string,
  path: string,
  what: string,
): Promise<string | undefined> {
  if (isAbsolute(path)) {
    throw new AppError(
      'bad_request',
      `${what}: "${path}" is an absolute path; write it relative to langgraph.json.`,
    )
  }
  if (isOutside(root, join(root, path))) throw outside(what, path)
  const found = await realFile(join(root, path))
  if (found !== undefined && isOutside(root, found)) throw outside(what, path)
  return found
}

function isOutside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)
}

function outside(what: string, path: string): AppError {
  return new AppError(
    'bad_request',
    `${what}: "${path}" leads out of the project's folder; only files inside of it can be used.`,
  )
}

async function realFile(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path)
    return (await stat(real)).isFile() ? real : undefined
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw cause
  }
}

/** Whether a file system error says that there is nothing at the path. */
export function isMissing(cause: unknown): boolean {
  const code = (cause as NodeJS.ErrnoException | null)?.code
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENAMETOOLONG'
}
