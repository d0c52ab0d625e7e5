/**
 * When a server makes room for suspects, each of which executes alone (`MAX_RUN_ATTEMPTS`).
 *
 * ```
 * open ──a suspect waits──▶ held back ──its time is up──▶ open, for as long; then held back twice as long
 *                               └──nothing executes: a suspect does, alone──▶ open, for as long as it took
 * ```
 * While other runs are held back, those that execute here come to their end. They may take long, so
 * new ones are never held back for longer than they were let in, and one day there is room.
 */

/** How long other runs are held back at first, in ms. */
const FIRST_HOLD_MS = 2_000

export class Quarantine {
  #isWaitedFor = false
  #holdMs = FIRST_HOLD_MS
  /** Since when other runs are held back, and until when they are let in, in ms since 1970. */
  #heldSince: number | undefined
  #openUntil = Number.NEGATIVE_INFINITY

  /** Whether a suspect waits that could execute here. */
  get isWaitedFor(): boolean {
    return this.#isWaitedFor
  }

  /** Whether other runs are to be left where they are. */
  get holdsBack(): boolean {
    return this.#isWaitedFor && this.#heldSince !== undefined
  }

  /** Whether a suspect waits at `now`; to be told about every second while none executes alone here. */
  note(isWaitedFor: boolean, now: number): void {
    this.#isWaitedFor = isWaitedFor
    if (!isWaitedFor) this.over(now)
    else if (this.#heldSince === undefined && now >= this.#openUntil) this.#heldSince = now
    else if (now - (this.#heldSince ?? now) >= this.#holdMs) {
      this.#open(now)
      this.#holdMs *= 2
    }
  }

  /** A suspect begins to execute alone here, which holds back the others. */
  begin(now: number): void {
    this.#heldSince ??= now
  }

  /** It has, to its end or for long enough. */
  over(now: number): void {
    this.#open(now)
    this.#holdMs = FIRST_HOLD_MS
  }

  #open(now: number): void {
    if (this.#heldSince === undefined) return
    this.#openUntil = now + (now - this.#heldSince)
    this.#heldSince = undefined
  }
}
