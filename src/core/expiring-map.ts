/** Keeps values for a limited time, up to a number and a weight. */
import type { Clock } from './clock.ts'

interface Room {
  /** How many values at most. */
  entries: number
  /** Their total weight at most; default: any weight. */
  weight?: number
}

/** When full, it drops the least recently used value. */
export class ExpiringMap<V> {
  readonly #room: Required<Room>
  readonly #clock: Pick<Clock, 'now'>
  readonly #kept = new Map<string, { value: V; until: number; weight: number }>()
  #weight = 0

  constructor(room: Room, clock: Pick<Clock, 'now'>) {
    this.#room = { weight: Number.POSITIVE_INFINITY, ...room }
    this.#clock = clock
  }

  /** `undefined`: it was not set, has expired, or was dropped. */
  get(key: string): V | undefined {
    const found = this.#kept.get(key)
    if (!found) return undefined
    this.#remove(key)
    if (found.until <= this.#clock.now()) return undefined
    this.#add(key, found)
    return found.value
  }

  /** Does not keep a value that exceeds the whole weight. */
  set(key: string, value: V, { ttlMs, weight = 0 }: { ttlMs: number; weight?: number }): void {
    this.#remove(key)
    if (weight > this.#room.weight) return
    this.#add(key, { value, until: this.#clock.now() + ttlMs, weight })
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#room.entries && this.#weight <= this.#room.weight) break
      this.#remove(oldest)
    }
  }

  #add(key: string, entry: { value: V; until: number; weight: number }): void {
    this.#kept.set(key, entry)
    this.#weight += entry.weight
  }

  #remove(key: string): void {
    this.#weight -= this.#kept.get(key)?.weight ?? 0
    this.#kept.delete(key)
  }
}
