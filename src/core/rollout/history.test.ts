import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  LIMITS,
  NotTaken,
  SimulatedDeployment,
} from '../../../test/support/control-plane/simulated-deployment.ts'
import {
  HAPPENINGS,
  type Happening,
} from '../../../test/support/control-plane/simulated-happenings.ts'
import { nextDeploymentStep } from './next-step.ts'
import type { DeploymentStep } from './step.ts'

/** More than any world needs that has stopped to change. */
const MOST_STEPS = 60

const ALL = Object.keys(HAPPENINGS) as Happening[]
/** What happens more often: without it hardly any would ever serve, sleep or be taken back. */
const OFTEN: Happening[] = [
  'built',
  'healthy',
  'healthy',
  'deployed',
  'died',
  'time passes',
  'time passes',
  'asked and left',
]

/** The kinds of steps that were taken. */
const taken = new Set<string>()

/** The gateway was switched, the record was not written, and then nobody could tell how the build is. */
const HALF_SWITCHED: [Happening, number][] = [
  ['time passes', 0],
  ['record not written', 0],
  ['looked at', MOST_STEPS],
  ['deployed', 0],
  ['looked at', MOST_STEPS],
  ['built', 2],
  ['restarted', 2],
  ['healthy', MOST_STEPS],
  ['build unreadable', 0],
  ['looked at', MOST_STEPS],
]

/** Histories that random ones have found. */
const FOUND = [
  {
    ...{ min: 0, max: 1, isDeployed: true },
    events: HALF_SWITCHED.map(([what, looks]) => ({ what, n: 929, looks })),
  },
]

const histories = fc.record({
  min: fc.constantFrom(0, 0, 1, 2),
  max: fc.constantFrom(1, 3),
  /** Whether its first revision serves already. */
  isDeployed: fc.constantFrom(true, true, true, false),
  events: fc.array(
    fc.record({
      what: fc.constantFrom(...ALL, ...OFTEN, ...OFTEN),
      n: fc.nat(1000),
      /** How many steps are taken after it, until there is none. */
      looks: fc.constantFrom(0, 1, 2, MOST_STEPS, MOST_STEPS, MOST_STEPS),
    }),
    { maxLength: 60, size: 'max' },
  ),
})

function begin(first: { min: number; max: number; isDeployed: boolean }): SimulatedDeployment {
  const world = new SimulatedDeployment({ min: first.min, max: Math.max(first.min, first.max) })
  if (first.isDeployed) settle(world, 1000)
  return world
}

/** Lets all that is on its way end well. */
function settle(world: SimulatedDeployment, everyMs: number): void {
  for (let round = 0; round < 80; round++) {
    world.now += everyMs
    world.endWell()
    expect(look(world, MOST_STEPS), 'there is no end').toBe(true)
  }
}

/** Whether requests go to a healthy server that they are to go to, or soon will be. */
function isServed(world: SimulatedDeployment): boolean {
  const { target, active, isAsleep, line, running } = world
  if (target.kind !== 'serving') return false
  const { revision_id: id } = target
  const isNext = line.some((one) => one.id === id && one.status === 'DEPLOYING')
  if (!isNext && (id !== active || isAsleep)) return false
  return world.runtimeOf(id).kind === 'healthy' && !running.get(id)?.isRetiring
}

function checkStep(world: SimulatedDeployment, step: DeploymentStep): void {
  const { target } = world
  switch (step.kind) {
    case 'point':
      expect(step.revision_id).toBe(world.active)
      expect(world.runtimeOf(step.revision_id)).toMatchObject({ kind: 'healthy' })
      return
    case 'switch':
      expect(world.get(step.revision_id).status).toBe('DEPLOYING')
      expect(world.runtimeOf(step.revision_id)).toMatchObject({ kind: 'healthy' })
      return
    case 'hold':
    case 'pause':
      expect(isServed(world), 'requests are taken from a healthy server').toBe(false)
      return
    case 'hold-asleep':
      if (!isServed(world)) return
      expect(world.limits.min).toBe(0)
      expect(world.activity.open).toBe(0)
      expect(world.now - world.activity.last_at).toBeGreaterThanOrEqual(LIMITS.idleMs)
      return
    case 'retire':
      expect(target.kind === 'serving' && target.revision_id).not.toBe(step.revision_id)
      expect(world.line.map(({ id }) => id)).not.toContain(step.revision_id)
      return
    default:
      return
  }
}

/**
 * Takes up to so many steps. Answers `true` when none is left, `undefined` when one could not be
 * taken: then there is another look later.
 */
function look(world: SimulatedDeployment, most: number): boolean | undefined {
  let last: DeploymentStep | undefined
  for (let count = 0; count < most && world.status !== 'gone'; count++) {
    const { step } = nextDeploymentStep(world.view())
    if (!step) return true
    expect(step, 'a step that changes nothing').not.toEqual(last)
    checkStep(world, step)
    if (!isTaken(world, step)) return undefined
    last = step
  }
  return world.status === 'gone'
}

function isTaken(world: SimulatedDeployment, step: DeploymentStep): boolean {
  taken.add(step.kind)
  try {
    world.take(step)
    return true
  } catch (error) {
    if (error instanceof NotTaken) return false
    throw error
  }
}

/** What holds wherever there is nothing left to do but to wait. */
function checkRest(world: SimulatedDeployment): void {
  if (world.status === 'gone') {
    expect(world.running.size).toBe(0)
    return
  }
  const { active, isAsleep, target } = world
  const going = [...world.running].filter(([, { isRetiring }]) => !isRetiring)
  for (const [id, { isStandby }] of going) {
    const isServing = id === active && !isAsleep
    const isNext = world.line.some((one) => one.id === id && one.status === 'DEPLOYING')
    expect(isServing || isNext, `${id} runs for no reason`).toBe(true)
    if (isServing) expect(isStandby, `${id} leaves its runs to nobody`).toBe(false)
  }
  expect(target).toMatchObject(targetAt(world))
}

/** Where its requests go at such a moment. */
function targetAt(world: SimulatedDeployment): object {
  const { active, isAsleep, running, target } = world
  if (leadsToNext(world)) return target
  if (active === null) return { kind: 'paused' }
  if (isAsleep) return { kind: 'asleep', isWanted: false }
  const runtime = world.runtimeOf(active)
  if (running.get(active)?.isRetiring) return { kind: 'held' }
  if (runtime.kind === 'failed') return { kind: 'paused' }
  if (runtime.kind !== 'healthy') return { kind: 'held' }
  return { kind: 'serving', revision_id: active, endpoints: runtime.endpoints }
}

/** Whether the next revision answers already, while the active one does not: only the record says nothing of it yet. */
function leadsToNext(world: SimulatedDeployment): boolean {
  const { active, isAsleep, line, target } = world
  if (target.kind !== 'serving' || target.revision_id === active) return false
  if (active !== null && !isAsleep && world.runtimeOf(active).kind === 'healthy') return false
  const next = line.find(({ status }) => status === 'DEPLOYING')
  return next?.id === target.revision_id && world.runtimeOf(next.id).kind === 'healthy'
}

/** Nobody needs to look before the moment that is named. */
function checkMoment(world: SimulatedDeployment, n: number): void {
  if (world.status === 'gone') return
  const view = world.view()
  const decision = nextDeploymentStep(view)
  if (decision.step) throw new Error('There was a step left.')
  const until = decision.until ?? world.now + 10_000_000
  expect(until).toBeGreaterThan(world.now)
  for (const now of [until - 1, world.now + ((until - world.now) * (n % 100)) / 100]) {
    expect(nextDeploymentStep({ ...view, now }).step, `a step ${now - world.now} ms on`).toBeNull()
  }
}

describe('a deployment with any history', () => {
  it('is never left without an end, a reason or a server', () => {
    fc.assert(
      fc.property(histories, ({ events, ...first }) => {
        const world = begin(first)
        for (const { what, n, looks } of events) {
          if (world.status !== 'gone') HAPPENINGS[what](world, n)
          const isAtRest = look(world, looks)
          if (isAtRest === false) expect(looks, 'there is no end').toBeLessThan(MOST_STEPS)
          if (!isAtRest) continue
          checkRest(world)
          checkMoment(world, n)
        }
      }),
      { numRuns: 400, examples: FOUND.map((one) => [one]) },
    )
  })

  it('comes to rest once nothing troubles it any more', () => {
    fc.assert(
      fc.property(histories, ({ events, ...first }) => {
        const world = begin(first)
        for (const { what, n, looks } of events) {
          if (world.status !== 'gone') HAPPENINGS[what](world, n)
          look(world, looks)
        }
        settle(world, 10_000)
        checkRest(world)
        const { active, isAsleep, running, line } = world
        if (world.status === 'gone') return
        expect(line).toEqual([])
        const maySleep = first.min === 0 && active !== null && world.activity.open === 0
        expect(isAsleep).toBe(maySleep)
        expect([...running.keys()]).toEqual(active === null || isAsleep ? [] : [active])
      }),
      { numRuns: 200 },
    )
    // Else the histories are too tame to prove anything.
    expect(taken.size).toBeGreaterThan(14)
  })
})
