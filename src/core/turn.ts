/**
 * The end of a turn of the event loop. All waiting callers continue together, so that their writes can share a
 * transaction.
 */

let end: Promise<void> | undefined
let isAtEnd = false
let lastOwn = Promise.resolve()

/** Resolves when all pending input of this process has been handled once. */
export function endOfTurn(): Promise<void> {
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined
      isAtEnd = true
      resolve()
      // From within a microtask, so it runs after all waiting callers have continued.
      queueMicrotask(() => process.nextTick(leave))
    })
  })
  return end
}

/**
 * Calls back when all others in this turn have had a chance to add something: at its end or, for a caller that has
 * waited for the end, after the other waiting callers.
 */
export function afterOthers(callback: () => void): void {
  if (isAtEnd) queueMicrotask(() => process.nextTick(callback))
  else void endOfTurn().then(() => process.nextTick(callback))
}

/**
 * Resolves in the same turn, when all promises that can settle now have settled and their writes to sockets are sent:
 * Node sends a piece of a continued response in the next tick.
 */
export function othersSent(): Promise<void> {
  return new Promise((resolve) => process.nextTick(() => process.nextTick(resolve)))
}

/** Size in characters or bytes from which work takes so long that others are served before the next step. */
export const LARGE = 2 ** 20

/**
 * Resolves in a separate event-loop turn for each caller, in the order they asked. So others are served between long
 * pieces of work.
 */
export function ownTurn(): Promise<void> {
  lastOwn = lastOwn.then(nextTurn)
  return lastOwn
}

/** Duration in ms from which others are served before work continues. */
const LONG_MS = 20

/** `ownTurn` if the work that began at this moment (`performance.now()`) took long; otherwise `undefined`. */
export function turnIfLong(began: number): Promise<void> | undefined {
  return performance.now() - began > LONG_MS ? ownTurn() : undefined
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function leave(): void {
  isAtEnd = false
}
