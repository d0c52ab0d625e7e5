/**
 * Limits the total bytes of all answers that a server holds, from reading them until their clients have received them.
 * Otherwise clients that request much and read slowly would fill the memory.
 */
import { AppError } from '../core/errors.ts'

/** Answers up to this size are never refused: refusing them would free nothing. */
const SMALL_BYTES = 16 * 1024
/** When a refused client may try again, in s. */
const RETRY_AFTER_SECONDS = 2

/** One answer's share of the budget. */
export interface AnswerHold {
  /**
   * Reserves at least this many bytes for the answer. Best called before they are read. Throws `unavailable` if
   * the other answers leave no room; an answer without others may have any size.
   */
  atLeast(bytes: number): void
  /** Frees the share: the client has received the answer or left. A second call does nothing. */
  release(): void
}

export class AnswerBudget {
  readonly #maxBytes: number
  #held = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Bytes of all answers together. */
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
