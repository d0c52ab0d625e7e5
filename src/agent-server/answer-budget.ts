/**
 * How many bytes the answers of a server may have in all, from when they are read until their clients have taken them.
 * Clients that ask for much and read slowly would fill the memory otherwise.
 */
import { AppError } from '../core/errors.ts'

/** Answers up to this size are never refused: refusing them would free nothing. */
const SMALL_BYTES = 16 * 1024
/** When a client that was refused may try again, in s. */
const RETRY_AFTER_SECONDS = 2

/** What one answer takes of the budget. */
export interface AnswerHold {
  /**
   * The answer has this many bytes or more, as far as is known by now. Best called before they are read. Throws
   * `unavailable` where that is too much beside the other answers; an answer that is alone may have any size.
   */
  atLeast(bytes: number): void
  /** The answer was taken, or is not wanted any more. A second call does nothing. */
  release(): void
}

export class AnswerBudget {
  readonly #maxBytes: number
  #held = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Of all answers together. */
  get heldBytes(): number {
    return this.#held
  }

  open(): AnswerHold {
    let own = 0
    let isOpen = true
    return {
      atLeast: (bytes) => {
        if (!isOpen || bytes <= own) return
        this.#requireRoom(bytes, this.#held - own)
        this.#held += bytes - own
        own = bytes
      },
      release: () => {
        if (isOpen) this.#held -= own
        isOpen = false
      },
    }
  }

  #requireRoom(bytes: number, others: number): void {
    if (bytes <= SMALL_BYTES || others === 0 || others + bytes <= this.#maxBytes) return
    throw new AppError(
      'unavailable',
      `The answer has ${bytes} bytes, and other answers that were not read yet have ${others} of the ` +
        `${this.#maxBytes} that this server keeps (RUNYARD_MAX_ANSWER_BYTES). Try again in a moment, or ask for less at once.`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    )
  }
}
