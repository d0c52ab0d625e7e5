import { expect, test } from 'vitest'
import { afterOthers, endOfTurn, othersSent, ownTurn, turnIfLong } from './turn.ts'

/** Adds to the list when the others have done so too, and notes what the list has then. */
function gather(list: string[], seen: string[], name: string): Promise<void> {
  list.push(name)
  return new Promise((resolve) =>
    afterOthers(() => {
      seen.push(list.join())
      resolve()
    }),
  )
}

test('who waits for the end of a turn goes on with all the others', async () => {
  const [list, seen]: [string[], string[]] = [[], []]
  const one = async (name: string, steps: number) => {
    await endOfTurn()
    for (let step = 0; step < steps; step += 1) await Promise.resolve()
    await gather(list, seen, name)
  }
  await Promise.all([one('a', 0), one('b', 9), one('c', 3)])
  expect(seen).toEqual(['a,c,b', 'a,c,b', 'a,c,b'])
})

test('who has not waited is called back at the end of the turn', async () => {
  const [list, seen]: [string[], string[]] = [[], []]
  const first = gather(list, seen, 'a')
  await new Promise<void>((resolve) => process.nextTick(resolve))
  await Promise.all([first, gather(list, seen, 'b')])
  expect(seen).toEqual(['a,b', 'a,b'])
})

test('who waits for promises goes on behind all of them, and before the turn ends', async () => {
  const seen: string[] = []
  const end = endOfTurn().then(() => seen.push('end of the turn'))
  const sent = othersSent().then(() => seen.push('others sent'))
  for (let step = 0; step < 9; step += 1) await Promise.resolve()
  seen.push('promises')
  await Promise.all([end, sent])
  expect(seen).toEqual(['promises', 'others sent', 'end of the turn'])
})

test('who asks for a turn of their own have one after the other', async () => {
  const seen: string[] = []
  const between = () => new Promise<void>((resolve) => setImmediate(resolve))
  const other = (async () => {
    for (let turn = 1; turn <= 3; turn += 1) {
      await between()
      seen.push(`other ${turn}`)
    }
  })()
  const own = (name: string) => ownTurn().then(() => seen.push(name))
  await Promise.all([own('a'), own('b'), own('c'), other])
  const turnOf = (name: string) => seen.slice(0, seen.indexOf(name)).filter(isOther).length
  expect(['a', 'b', 'c'].map(turnOf)).toEqual([turnOf('a'), turnOf('a') + 1, turnOf('a') + 2])
})

function isOther(name: string): boolean {
  return name.startsWith('other')
}

test('others come between what has taken long and what comes of it', async () => {
  expect(turnIfLong(performance.now())).toBeUndefined()
  const seen: string[] = []
  setImmediate(() => seen.push('another'))
  await turnIfLong(performance.now() - 100)
  expect(seen).toEqual(['another'])
})
