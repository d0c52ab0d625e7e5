import { describe, expect, it } from 'vitest'
import type { Load, Replica } from '../deployment/runtime.ts'
import { replicasWanted, scaleLimits } from './scaling.ts'

function aReplica(load: Partial<Load> | null, state: Replica['state'] = 'healthy'): Replica {
  const idle = { running: 0, capacity: 10, waiting: 0, lag_ms: 0, next_due_at: null }
  return { state, since: 0, restarts: 0, reason: null, load: load && { ...idle, ...load } }
}

const idle = aReplica({})
const full = aReplica({ running: 10 })
const pressed = aReplica({ running: 10, waiting: 3 })
const late = aReplica({ lag_ms: 400 })

describe('scaleLimits', () => {
  it.each([
    [null, { min: 1, max: 1 }],
    [{ min_scale: 0 }, { min: 0, max: 1 }],
    [{ min_scale: 2 }, { min: 2, max: 2 }],
    [{ max_scale: 4 }, { min: 1, max: 4 }],
    [
      { min_scale: 3, max_scale: 2 },
      { min: 3, max: 3 },
    ],
    [
      { min_scale: 0, max_scale: 0 },
      { min: 0, max: 1 },
    ],
  ])('of %j are %j', (spec, limits) => expect(scaleLimits(spec)).toEqual(limits))
})

describe('replicasWanted', () => {
  const limits = { min: 1, max: 3 }
  it.each<[string, Replica[], boolean, number]>([
    ['begins with the least', [], false, 1],
    ['adds one where runs wait', [pressed], false, 2],
    ['adds one where every event loop is late', [late, late], false, 3],
    ['leaves it where one of them is not late', [late, idle], false, 2],
    ['waits for one that is starting', [pressed, aReplica(null, 'starting')], true, 2],
    ['waits for the first report', [pressed, aReplica(null)], true, 2],
    ['adds none beyond the most', [pressed, pressed, pressed], false, 3],
    ['leaves it until it has been calm', [idle, idle], false, 2],
    ['takes one away when it has been calm', [idle, idle], true, 1],
    ['takes none away that is needed', [full, full, idle], true, 3],
    ['takes none away below the least', [idle], true, 1],
  ])('%s', (_name, replicas, isCalm, wanted) => {
    expect(replicasWanted(replicas, limits, isCalm)).toBe(wanted)
  })

  it('follows limits that were changed', () => {
    expect(replicasWanted([idle], { min: 2, max: 3 }, false)).toBe(2)
    expect(replicasWanted([idle, idle, idle], { min: 0, max: 1 }, false)).toBe(1)
  })
})
