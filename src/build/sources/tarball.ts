/** An uploaded tarball becomes the source of a revision. */
import { unpackTarball } from '../../artifacts/archive/unpack.ts'
import { BuildError } from '../../core/deployment/builds/build.ts'
import { AppError } from '../../core/errors.ts'
import type { StepContext } from '../step.ts'

/** As `unpackTarball` of the archive. Throws `BuildError('unpack')` with its sentence. */
export async function unpackSource(
  path: string,
  into: string,
  context: StepContext,
): Promise<void> {
  try {
    const entries = await unpackTarball(path, into, context)
    context.log.line(`Unpacked ${entries} entries.`)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new BuildError('unpack', error.message, { cause: error })
  }
}
