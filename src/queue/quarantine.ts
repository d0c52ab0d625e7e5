/**
 * Decides when a server makes room for suspects, each of which executes alone (`isSuspect`).
 *
 * ```
 * open ──a suspect is pending──▶ held back ──time is up──▶ open for as long; then held back twice as long
 *                                    └──nothing executes: the suspect does, alone──▶ open for as long
 * ```
 * While other runs are held back, those that execute here end one by one. That may take long. So new runs
 * are never held back for longer than they were let in before, and at some point there is room.
 */

/** How long other runs are held back at first, in ms. */
const FIRST_HOLD_MS = 2_000

export class Quarantine {
  #isWaitedFor = false
  #holdMs = FIRST_HOLD_MS
  /** Since when other runs are held back, and until when they are let in, in ms since 1970. */
  #heldSince: number | undefined
  #openUntil = Number.NEGATIVE_INFINITY

  /** Whether a suspect is pending that could execute here. */
  get isWaitedFor(): boolean {
    return this.#isWaitedFor
  }

  /** Whether other runs must not be claimed now. */
  get holdsBack(): boolean {
    return this.#isWaitedFor && this.#heldSince !== undefined
  }

  /** Notes whether a suspect is pending at `now`. Call it about every second while no suspect executes here. */
  note(isWaitedFor: boolean, now: number): void {
    this.#isWaitedFor = isWaitedFor
    if (!isWaitedFor) this.over(now)
    else if (this.#heldSince === undefined && now >= this.#openUntil) this.#heldSince = now
    else if (now - (this.#heldSince ?? now) >= this.#holdMs) {
      this.#open(now)
      this.#holdMs *= 2
    }
  }

  /** A suspect begins to execute alone here: the others are held back. */
  begin(now: number): void {
    this.#heldSince ??= now
  }

  /** The suspect has ended, or has executed alone for long enough. */
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
