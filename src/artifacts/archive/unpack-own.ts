/** Unpacks one of Runyard's own tarballs, whose digest was checked: with a `tar` program in a sixth of the time. */
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { delimiter, isAbsolute } from 'node:path'
import { promisify } from 'node:util'
import { AppError } from '../../core/errors.ts'
import { unpackTarball } from './unpack.ts'

const LIMITS = { maxEntries: 1_000_000, maxUnpackedBytes: 32 * 1024 ** 3 }
const run = promisify(execFile)

/**
 * Unpacks into the new folder `into`; owners are not kept. `path`: the PATH to find `tar` on, without its relative
 * folders. The program refuses names that lead out of the folder too. Throws `bad_request`, and the signal's reason.
 */
export async function unpackOwn(
  file: string,
  into: string,
  { path, signal }: { path: string; signal: AbortSignal },
): Promise<void> {
  await mkdir(into, { recursive: true })
  const PATH = path.split(delimiter).filter(isAbsolute).join(delimiter)
  const args = ['-xzf', file, '-C', into, '--no-same-owner']
  const isUnpacked = await runTar(args, { signal, env: { PATH } })
  if (!isUnpacked) await unpackTarball(file, into, { limits: LIMITS, signal })
}

/** `false`: there is no `tar` on the PATH. */
async function runTar(
  args: string[],
  options: { signal: AbortSignal; env: { PATH: string } },
): Promise<boolean> {
  // With an empty PATH the system looks into the working directory.
  if (options.env.PATH === '') return false
  try {
    await run('tar', args, options)
    return true
  } catch (cause) {
    options.signal.throwIfAborted()
    const { code, stderr } = cause as { code?: unknown; stderr?: string }
    if (code === 'ENOENT' || code === 'EACCES') return false
    const why = stderr?.trim().split('\n').at(-1) || String(cause)
    throw new AppError('bad_request', `The tarball cannot be unpacked: ${why}.`, { cause })
  }
}
