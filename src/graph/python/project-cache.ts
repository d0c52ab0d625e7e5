/**
 * The cache of a Python project (`langgraph_sdk.cache`), in the memory of this server, shared by all its Python
 * processes.
 */
import { systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { ExpiringMap } from '../../core/expiring-map.ts'

/** How much is kept at most: in values, and in characters of JSON. */
const ROOM = { entries: 10_000, weight: 32 * 1024 ** 2 }
const MAX_VALUE_CHARS = 1024 ** 2

export class ProjectCache {
  readonly #kept = new ExpiringMap<string>(ROOM, systemClock)

  /** JSON; `null`: there is no value, or it has expired. */
  get(key: string): string | null {
    return this.#kept.get(key) ?? null
  }

  /** `value`: JSON of up to a million characters. Throws `bad_request` for more. */
  set(key: string, value: string, ttlMs: number): void {
    const weight = key.length + value.length
    if (weight > MAX_VALUE_CHARS) {
      const most = `${MAX_VALUE_CHARS} characters with its key`
      throw new AppError('bad_request', `A value in the cache has at most ${most}, not ${weight}.`)
    }
    this.#kept.set(key, value, { ttlMs, weight })
  }
}
