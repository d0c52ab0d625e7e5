/** Paths that a project's configuration names: always below the top of its source. */
import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { AppError } from '../core/errors.ts'

/** Both absolute, with links resolved. */
export interface PathScope {
  /** The folder of `langgraph.json`, which paths are relative to. */
  root: string
  /** The top of the source: no path may leave it. */
  border: string
}

/**
 * The real path of a file that `langgraph.json` names, or `undefined` when there is no such file.
 * `what` begins the message of a refusal, which is a `bad_request` for a path that is absolute, or
 * leads out of the source by `..` or by links.
 */
export async function resolveInside(
  scope: PathScope,
  path: string,
  what: string,
): Promise<string | undefined> {
  if (isAbsolute(path)) {
    throw new AppError(
      'bad_request',
      `${what}: "${path}" is an absolute path; write it relative to langgraph.json.`,
    )
  }
  const real = await realPathInside(scope, path, what)
  return real !== undefined && (await stat(real)).isFile() ? real : undefined
}

/**
 * The path of a folder that `langgraph.json` names, its own links not resolved; `undefined` when there is
 * no such folder. Throws as `resolveInside` does.
 */
export async function folderInside(
  scope: PathScope,
  path: string,
  what: string,
): Promise<string | undefined> {
  const real = await realPathInside(scope, path, what)
  return real !== undefined && (await stat(real)).isDirectory()
    ? resolve(scope.root, path)
    : undefined
}

/** Whether the path, which need not exist, stays inside: `..` and links are followed. */
export async function isInside(scope: PathScope, path: string): Promise<boolean> {
  return realPathInside(scope, path, '').then(
    () => true,
    (error) => {
      if (error instanceof AppError) return false
      throw error
    },
  )
}

async function realPathInside(
  { root, border }: PathScope,
  path: string,
  what: string,
): Promise<string | undefined> {
  const lexical = resolve(root, path)
  if (isOutside(border, lexical)) throw outside(what, path)
  const real = await realPath(lexical)
  if (real !== undefined && isOutside(border, real)) throw outside(what, path)
  return real
}

/** `folder` itself is not outside. Links are not followed. */
export function isOutside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)
}

function outside(what: string, path: string): AppError {
  return new AppError(
    'bad_request',
    `${what}: "${path}" leads out of what is deployed. Deploy a folder that has both: name this file with ` +
      '`runyard deploy --config`, or in a repository with langgraph_config_path.',
  )
}

async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw cause
  }
}

/** Whether a file system error means that the path does not exist. */
export function isMissing(cause: unknown): boolean {
  const code = (cause as NodeJS.ErrnoException | null)?.code
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENAMETOOLONG'
}
