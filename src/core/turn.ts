/**
 * The end of a turn of the event loop. All who wait for it go on together, so that what they write then
 * can share a transaction.
 */

let end: Promise<void> | undefined
let isAtEnd = false
let lastOwn = Promise.resolve()

/** Settles when all that has come to this process now has been handled once. */
export function endOfTurn(): Promise<void> {
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined
      isAtEnd = true
      resolve()
      // From within a microtask: so it runs when all who waited have gone on.
      queueMicrotask(() => process.nextTick(leave))
    })
  })
  return end
}

/**
 * Calls back when all who may still add something in this turn have done so: at its end, or, for one who
 * has waited for that, once the others have gone on too.
 */
export function afterOthers(callback: () => void): void {
  if (isAtEnd) queueMicrotask(() => process.nextTick(callback))
  else void endOfTurn().then(() => process.nextTick(callback))
}

/** Settles when all promises that can settle now have settled, in the same turn. */
export function othersSettled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}

/**
 * The same, and what these promises have written to sockets is sent: Node sends a piece of an answer that goes on in the next
 * tick.
 */
export function othersSent(): Promise<void> {
  return new Promise((resolve) => process.nextTick(() => process.nextTick(resolve)))
}

/** From how many characters or bytes on a piece of work takes so long that others are served before what comes next. */
export const LARGE = 2 ** 20

/**
 * Settles in a turn of the event loop that the caller has for itself: of those who ask for one at once, each has the
 * next. So others are served between pieces of work that take long, whoever does them.
 */
export function ownTurn(): Promise<void> {
  lastOwn = lastOwn.then(nextTurn)
  return lastOwn
}

/** From how many ms on what was done in one go has taken so long that others are served before what comes of it. */
const LONG_MS = 20

/** `ownTurn`, where what was begun at this moment (`performance.now()`) and is done now has taken long; else `undefined`. */
export function turnIfLong(began: number): Promise<void> | undefined {
  return performance.now() - began > LONG_MS ? ownTurn() : undefined
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function leave(): void {
  isAtEnd = false
}
