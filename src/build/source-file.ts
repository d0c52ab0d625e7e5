/** Files of a project's source that this process reads itself, outside of the project's sandbox. */
import { relative } from 'node:path'
import { BuildError } from '../core/deployment/builds/build.ts'
import { AppError } from '../core/errors.ts'
import { readTextFile } from '../project/files.ts'
import { resolveInside } from '../project/path.ts'

/**
 * Returns a file's text; `undefined`: there is none. `source`: its top folder, links resolved. Throws
 * `BuildError('configuration')` for a path that leads out of the source, by `..` or by links: the project must not read
 * there.
 */
export async function readSourceFile(source: string, path: string): Promise<string | undefined> {
  try {
    const real = await resolveInside(
      { root: source, border: source },
      relative(source, path),
      'The source',
    )
    return real === undefined ? undefined : await readTextFile(real)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new BuildError('configuration', error.message, { cause: error })
  }
}
