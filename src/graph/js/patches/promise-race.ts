/**
 * `Promise.race` that releases its result. The built-in one leaves a listener on each promise that lost, and the
 * listener keeps the result in memory for as long as that promise.
 *
 * LangGraph races the tasks of each step against a promise that never settles. V8 keeps that promise until the next
 * collection of the whole heap: it belongs to a function that is assigned to a property (`barrier.next = () => …`), and
 * V8 takes such functions for methods and places them among what is old. So every run outlived the short garbage
 * collections, with its state. Of 50 MB, 1.7 MB outlived each short collection of a server under 16 clients; with this
 * and `writer` (`run/source.ts`), 0.5 MB do.
 */

const letting = new WeakSet<Promises>()

type Promises = Pick<PromiseConstructor, 'race'>

/** The caller that waits for the race. Empty once the race is decided. */
interface Waiting {
  settle?: { resolve(value: unknown): void; reject(reason: unknown): void } | undefined
}

/** Replaces `race` of this process's `Promise`, but not of classes that extend it. Repeated calls are harmless. */
export function letGoOfRaces(of: Promises = globalThis.Promise): void {
  if (letting.has(of)) return
  letting.add(of)
  const own = of.race
  of.race = function race(this: unknown, promises: Iterable<unknown>): Promise<unknown> {
    return this === of ? raced(promises) : own.call(this as PromiseConstructor, promises as [])
  } as typeof own
}

function raced(promises: Iterable<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const waiting: Waiting = { settle: { resolve, reject } }
    const [onValue, onReason] = listeners(waiting)
    for (const promise of promises) Promise.resolve(promise).then(onValue, onReason)
  })
}

/** A function of its own, so that the listeners hold nothing else of the race. */
function listeners(waiting: Waiting): [(value: unknown) => void, (reason: unknown) => void] {
  const decide = () => {
    const { settle } = waiting
    waiting.settle = undefined
    return settle
  }
  return [(value) => decide()?.resolve(value), (reason) => decide()?.reject(reason)]
}
