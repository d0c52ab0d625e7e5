import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeAll, describe, expect, it } from 'vitest'
import { letGoOfRaces } from './promise-race.ts'

class Other<T> extends Promise<T> {}

/** A promise that nothing settles. */
const never = () => new Promise<never>(() => {})

/** Whether what won is still in memory when only what lost is held. */
async function isKept(race: PromiseConstructor['race']): Promise<boolean> {
  const lost = never()
  const won = await (async () => {
    const value = await race.call(Promise, [Promise.resolve({ text: 'won' }), lost])
    return new WeakRef(value as object)
  })()
  setFlagsFromString('--expose-gc')
  await new Promise((resolve) => setImmediate(resolve))
  runInNewContext('gc')()
  // Until here, so that the collection sees it.
  await Promise.race([lost, Promise.resolve()])
  return won.deref() !== undefined
}

describe('a race of promises', () => {
  /** Of another realm, since another test of this process may have replaced ours. */
  const builtIn: PromiseConstructor['race'] = runInNewContext('Promise.race')
  beforeAll(() => letGoOfRaces())

  it('keeps nothing of what won with what lost', async () => {
    expect(await isKept(builtIn)).toBe(true)
    expect(await isKept(Promise.race)).toBe(false)
  })

  it('is decided by the first that settles', async () => {
    const late = new Promise((resolve) => setImmediate(resolve, 'late'))
    expect(await Promise.race([never(), late, 1])).toBe(1)
    expect(await Promise.race(new Set([late, never()]))).toBe('late')
    const failed = Promise.reject(new Error('failed'))
    await expect(Promise.race([never(), failed, late])).rejects.toThrow('failed')
    const then = (resolve: (value: string) => void) => resolve('thenable')
    const thenable = Object.fromEntries([['then', then]])
    expect(await Promise.race([thenable, never()])).toBe('thenable')
  })

  it('takes as many turns as the built-in one', async () => {
    const order: string[] = []
    const run = (race: PromiseConstructor['race'], name: string) =>
      race.call(Promise, [Promise.resolve()]).then(() => order.push(name))
    await Promise.all([run(Promise.race, 'a'), run(builtIn, 'b'), run(Promise.race, 'c')])
    expect(order).toEqual(['a', 'b', 'c'])
  })

  it('is refused where nothing can be raced', async () => {
    await expect(Promise.race(1 as never)).rejects.toThrow(TypeError)
    const broken = (function* () {
      yield never()
      throw new Error('broken')
    })()
    await expect(Promise.race(broken)).rejects.toThrow('broken')
    // A list of nothing is never decided.
    expect(await Promise.race([Promise.race([]), 'empty'])).toBe('empty')
  })

  it('leaves to other classes what is theirs', () => {
    expect(Other.race([1])).toBeInstanceOf(Other)
    expect(() => Promise.race.call(undefined as never, [])).toThrow(TypeError)
  })

  it('is taken once', () => {
    const { race } = Promise
    letGoOfRaces()
    expect(Promise.race).toBe(race)
  })
})
