import { describe, expect, it } from 'vitest'
import {
  anActiveRevision,
  aReplica,
  NOW,
} from '../../../test/support/control-plane/observed-deployment.ts'
import type { Timers } from './observed.ts'
import { followTimers, followWaiting, NO_TIMERS, timersAfter } from './timers.ts'

const healthy = anActiveRevision()
const failed = anActiveRevision({ runtime: { kind: 'failed', reason: 'exit 1' } })
const pressed = anActiveRevision({ replicas: [aReplica({ waiting: 1 })] })
const of = (change: Partial<Timers>): Timers => ({ ...NO_TIMERS, revision_id: 'active', ...change })
const retry = { kind: 'retry', revision_id: 'active', reason: 'exit 1' } as const

describe('the timers of an active revision', () => {
  it('try a failed one again, ever more seldom, a minute apart at most', () => {
    let timers = followTimers(NO_TIMERS, failed, NOW)
    expect(timers.retry).toEqual({ afterMs: 1000, at: NOW + 1000 })
    expect(followTimers(timers, failed, NOW + 500)).toEqual(timers)
    const waits: number[] = []
    for (let tries = 0; tries < 7; tries++) {
      timers = timersAfter(retry, timers, NOW)
      waits.push((timers.retry?.at ?? NOW) - NOW)
    }
    expect(waits).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
  })

  it('go on while it is only being started, and end when it is healthy', () => {
    const timers = of({ retry: { afterMs: 4000, at: NOW } })
    const starting = anActiveRevision({ runtime: { kind: 'starting' } })
    expect(followTimers(timers, starting, NOW)).toEqual(timers)
    expect(followTimers(timers, healthy, NOW).retry).toBeNull()
  })

  it('begin anew with another revision', () => {
    const timers = of({ revision_id: 'old', retry: { afterMs: 60_000, at: NOW }, pressedAt: 1 })
    expect(followTimers(timers, failed, NOW).retry?.afterMs).toBe(1000)
    expect(followTimers(timers, healthy, NOW).pressedAt).toBe(NOW)
    expect(followTimers(timers, null, NOW)).toEqual(NO_TIMERS)
  })

  it('know when there was too much to do last', () => {
    const timers = followTimers(NO_TIMERS, healthy, NOW)
    expect(timers.pressedAt).toBe(NOW)
    expect(followTimers(timers, healthy, NOW + 9).pressedAt).toBe(NOW)
    expect(followTimers(timers, pressed, NOW + 9).pressedAt).toBe(NOW + 9)
  })

  it('count from the last time that agent servers became more or fewer', () => {
    const scale = { kind: 'scale', revision_id: 'active', replicas: 2 } as const
    expect(timersAfter(scale, of({ pressedAt: 1 }), NOW).pressedAt).toBe(NOW)
    expect(
      timersAfter({ kind: 'hold', isRestart: false }, of({ pressedAt: 1 }), NOW).pressedAt,
    ).toBe(1)
  })
})

describe('what a revision on its way has waited', () => {
  const starting = { id: 'next', runtime: { kind: 'starting' } } as const
  const waiting = { id: 'next', runtime: { kind: 'starting', reason: 'It is away.' } } as const

  it('lasts until it was seen to wait last, and is forgotten with the revision', () => {
    expect(followWaiting(null, [starting], NOW)).toBeNull()
    const waited = followWaiting(null, [starting, waiting], NOW)
    expect(waited).toEqual({ revision_id: 'next', at: NOW })
    const later = followWaiting(waited, [waiting], NOW + 9)
    expect(later?.at).toBe(NOW + 9)
    expect(followWaiting(later, [starting], NOW + 20)).toEqual(later)
    expect(followWaiting(later, [{ ...starting, id: 'other' }], NOW + 20)).toBeNull()
  })
})
