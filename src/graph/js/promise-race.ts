/**
 * `Promise.race` that lets go of what has won. The built-in one leaves a listener on each promise that lost, and through it the
 * result of the race stays in memory for as long as that promise does.
 *
 * LangGraph races the tasks of each step against a promise that nothing settles. V8 keeps that one until the next
 * collection of the whole heap: it belongs to a function that is assigned to a property (`barrier.next = () => …`), and V8 takes such
 * functions for methods and places them among what is old. So every run outlived the short garbage collections, with its state.
 *
 * Of 50 MB, 1.7 MB outlived each short collection of a server under 16 clients, and 0.5 MB do since, together with `writer` (`run/options.ts`).
 */

const letting = new WeakSet<Promises>()

type Promises = Pick<PromiseConstructor, 'race'>

/** Who waits for the race. Empty once it is decided. */
interface Waiting {
  settle?: { resolve(value: unknown): void; reject(reason: unknown): void } | undefined
}

/** Gives this process's `Promise` that race. A class that extends `Promise` keeps the built-in one. Once is enough. */
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

/** A function of its own, so that they hold nothing else of the race. */
function listeners(waiting: Waiting): [(value: unknown) => void, (reason: unknown) => void] {
  const decide = () => {
    const { settle } = waiting
    waiting.settle = undefined
    return settle
  }
  return [(value) => decide()?.resolve(value), (reason) => decide()?.reject(reason)]
}
