import { expect, it, vi } from 'vitest'
import { DatabaseAway } from '../../core/errors.ts'
import { type Log, silentLog } from '../../core/log.ts'
import { DatabaseOutage } from './database-outage.ts'

function logOf(said: string[]): Log {
  const note = (level: string) => (_: object, message: string) =>
    void said.push(`${level}: ${message}`)
  return { ...silentLog, error: note('error'), info: note('info'), child: () => logOf(said) }
}

it('is told once when it begins and once when it is over', async () => {
  vi.useFakeTimers()
  try {
    const said: string[] = []
    let isFull = true
    const checkWrites = async () => {
      if (isFull) throw new DatabaseAway('full', undefined)
    }
    const outage = new DatabaseOutage({ checkWrites }, logOf(said))
    let over = 0
    outage.start(() => {
      over += 1
    })
    const log = outage.log.child({ part: 'queue' })
    log.error({ err: new Error('other') }, 'something else')
    expect(outage.isOn).toBe(false)
    for (const message of ['a', 'b'])
      log.error({ err: new DatabaseAway('full', undefined) }, message)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(outage.isOn).toBe(true)
    isFull = false
    await vi.advanceTimersByTimeAsync(1_000)
    expect([outage.isOn, over]).toEqual([false, 1])
    expect(said).toEqual([
      'error: something else',
      'error: runs wait, and what would write is refused: full',
      'info: the database takes writes again: runs go on',
    ])
    outage.stop()
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
