/**
 * Packages that only some settings need. The first `npm start` of a clone does not wait for them: they are installed
 * while the server runs.
 */
import { AppError } from './errors.ts'

/** Node's codes, for `import` and for `require`. */
const CODES: unknown[] = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']

/** `wish`: what the package is for, as in "to keep artifacts in S3". Throws `unavailable` while it is not installed. */
export async function importLater<T>(wish: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    throw explained(wish, error)
  }
}

/** As `importLater`, for `require`. */
export function requireLater<T>(wish: string, load: () => T): T {
  try {
    return load()
  } catch (error) {
    throw explained(wish, error)
  }
}

function explained(wish: string, error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message?: string }
  if (!CODES.includes(code)) return error
  const name = /'([^']+)'/.exec(message ?? '')?.[1] ?? 'a package'
  return new AppError(
    'unavailable',
    `${name} is not installed, which Runyard needs ${wish}. The first npm start of a clone adds it beside the running ` +
      'server: wait for that, or run node scripts/prepare.mjs in the clone, and start again.',
    { cause: error },
  )
}
