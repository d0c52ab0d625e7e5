/** Unpacks one of Runyard's own tarballs, whose digest was checked: with a `tar` program in a sixth of the time. */
import { execFile } from 'node:child_process'
import { access, constants, mkdir } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { AppError } from '../../core/errors.ts'
import { unpackTarball } from './unpack.ts'

const LIMITS = { maxEntries: 1_000_000, maxUnpackedBytes: 32 * 1024 ** 3 }
const run = promisify(execFile)

/**
 * Unpacks into the new folder `into`; owners are not kept. `path`: the PATH to find `tar` on. The program refuses names
 * that lead out of the folder too. Throws `bad_request`, and the signal's reason.
 */
export async function unpackOwn(
  file: string,
  into: string,
  { path, signal }: { path: string; signal: AbortSignal },
): Promise<void> {
  const program = await findTar(path)
  if (program === undefined) {
    await unpackTarball(file, into, { limits: LIMITS, signal })
    return
  }
  await mkdir(into, { recursive: true })
  try {
    await run(program, ['-xzf', file, '-C', into, '--no-same-owner'], {
      signal,
      env: { PATH: path },
    })
  } catch (cause) {
    signal.throwIfAborted()
    const { stderr } = cause as { stderr?: string }
    const why = stderr?.trim().split('\n').at(-1) || String(cause)
    throw new AppError('bad_request', `The tarball cannot be unpacked: ${why}.`, { cause })
  }
}

async function findTar(path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const program = join(folder, 'tar')
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return program
  }
  return undefined
}
