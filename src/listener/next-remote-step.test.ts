import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ReportedRevision } from '../core/deployment/listener-protocol.ts'
import type { RuntimeState } from '../core/deployment/runtime.ts'
import { afterState, nextRemoteStep, type RemoteState } from './next-remote-step.ts'

const STATES: RuntimeState[] = [
  { kind: 'starting' },
  { kind: 'healthy', endpoints: [{ url: 'http://a', token: '' }] },
  { kind: 'restarting', reason: 'exit 9', restarts: 1 },
  { kind: 'failed', reason: 'exit 1' },
]

/** A control plane and a listener: what each of them knows of one revision. */
class World {
  known: RemoteState
  /** What runs at the listener; `undefined`: nothing. */
  there: { incarnation: string | null; state: RuntimeState } | undefined
  /** The version of the orders, and the one that the listener has. */
  version = 1
  followed = 0
  isForgotten = false
  /** How often the listener has started it. */
  starts = 0
  #session = 0
  #number = 0
  #made = 0
  #reported: ReportedRevision['states'] = []

  constructor() {
    this.known = this.lead(true)
  }

  /** A control plane takes the lead. */
  lead(isStarted: boolean): RemoteState {
    this.#made += 1
    this.isForgotten = false
    this.version += 1
    return {
      ...(isStarted && { start: { isStandby: false } }),
      ...{ incarnation: `incarnation ${this.#made}`, mayAdopt: true, isConfirmed: false },
      ...{ state: { kind: 'starting' }, replicas: [], retiring: [] },
      heard: { session: '', number: 0 },
    }
  }

  /** The listener carries its orders out. */
  order(): void {
    this.followed = this.version
    const { stop, start, incarnation } = this.known
    if (this.isForgotten) return
    if (stop) this.there = undefined
    else if (start && this.there?.incarnation !== incarnation) {
      this.starts += 1
      this.there = { incarnation, state: { kind: 'starting' } }
      this.say()
    } else if (this.there) this.there.incarnation = incarnation
  }

  say(): void {
    this.#number += 1
    if (this.there) this.#reported.push({ number: this.#number, state: this.there.state })
  }

  restartListener(): void {
    this.#session += 1
    this.#number = 0
    this.#reported = []
    this.followed = 0
    if (this.there) this.there.incarnation = null
    this.say()
  }

  /** The control plane takes a report. */
  report(isAnswered: boolean): void {
    if (this.there && this.#reported.length === 0) this.say()
    const which = { revision_id: 'r', deployment_id: 'd', replicas: [], done: [] }
    const session = `session ${this.#session}`
    const reported = this.there && {
      ...{ ...which, incarnation: this.there.incarnation, states: [...this.#reported] },
    }
    this.#take(reported, session)
    if (!isAnswered) return
    this.#reported = this.#reported.slice(-1)
    this.order()
  }

  #take(reported: ReportedRevision | undefined, session: string): void {
    const heard = reported
      ? ({ kind: 'report', reported, session } as const)
      : ({ kind: 'absent', version: this.followed } as const)
    for (let count = 0; !this.isForgotten; count++) {
      expect(count, 'there is no end').toBeLessThan(5)
      const { known } = this
      const step = nextRemoteStep(known, heard)
      if (!step) return
      switch (step.kind) {
        case 'confirm':
          this.known = { ...known, isConfirmed: true }
          break
        case 'adopt':
          expect(known.mayAdopt).toBe(true)
          expect(known.isConfirmed, 'a confirmed revision is never adopted').toBe(false)
          this.version += 1
          this.known = {
            ...{ ...known, isConfirmed: true, mayAdopt: false },
            incarnation: step.incarnation,
          }
          break
        case 'follow': {
          expect([known.incarnation, null]).toContain(step.reported.incarnation)
          const number = step.reported.states.at(-1)?.number ?? 0
          const heardLast = { session: step.session, number }
          this.known = { ...known, followed: step.reported, heard: heardLast }
          for (const state of step.states) this.known = afterState(this.known, state)
          break
        }
        case 'unconfirm':
          this.known = { ...known, isConfirmed: false }
          break
        case 'forget':
          expect(known.start, 'what was ordered is forgotten').toBeUndefined()
          this.isForgotten = true
          break
        case 'end':
          expect(this.there, 'it still runs').toBeUndefined()
          if (known.stop) this.known = { ...known, stop: { ...known.stop, hasEnded: true } }
      }
    }
  }
}

const HAPPENINGS: Record<string, (world: World, n: number) => void> = {
  'a report is answered': (world) => world.report(true),
  'an answer is lost': (world) => world.report(false),
  'its state changes': (world, n) => {
    if (!world.there) return
    world.there.state = STATES[n % STATES.length] as RuntimeState
    world.say()
  },
  'the listener is restarted': (world) => world.restartListener(),
  'another control plane leads, and starts it': (world) => {
    world.known = world.lead(true)
  },
  'another control plane leads, and finds it': (world) => {
    if (world.there && !world.known.stop) world.known = world.lead(false)
  },
  'it is stopped': (world) => {
    world.version += 1
    const stop = { graceMs: 0, since: world.version, hasEnded: false }
    world.known = { ...world.known, stop }
  },
}
const OFTEN = ['a report is answered', 'its state changes']
const histories = fc.array(
  fc.record({ what: fc.constantFrom(...Object.keys(HAPPENINGS), ...OFTEN), n: fc.nat(100) }),
  { maxLength: 40, size: 'max' },
)

it('follows what runs at the listener, after any history', () => {
  const ends = new Set<string>()
  fc.assert(
    fc.property(histories, (events) => {
      const world = new World()
      for (const { what, n } of events) HAPPENINGS[what]?.(world, n)
      for (let count = 0; count < 5; count++) world.report(true)
      const { known, there } = world
      if (known.stop) {
        expect(there).toBeUndefined()
        expect(world.isForgotten || known.stop.hasEnded).toBe(true)
        ends.add('stopped')
      } else if (world.isForgotten) {
        expect(there).toBeUndefined()
        ends.add('forgotten')
      } else {
        expect(known.isConfirmed).toBe(true)
        expect(known.incarnation).toBe(there?.incarnation)
        expect(known.state).toEqual(there?.state)
        ends.add(known.start ? 'started' : 'found')
      }
    }),
    { numRuns: 500 },
  )
  // Else the histories are too tame to prove anything.
  expect([...ends].toSorted()).toEqual(['found', 'started', 'stopped'])
})

it('leaves what runs as it is when another control plane starts it again', () => {
  const world = new World()
  world.report(true)
  world.report(true)
  for (const isStarted of [true, false, true]) {
    world.known = world.lead(isStarted)
    world.report(true)
    world.report(true)
  }
  expect(world.known.isConfirmed).toBe(true)
  expect(world.starts).toBe(1)
})

it('starts again what failed before', () => {
  const world = new World()
  world.report(true)
  world.there = { incarnation: 'incarnation 1', state: STATES[3] as RuntimeState }
  world.say()
  world.known = world.lead(true)
  world.report(true)
  expect(world.starts).toBe(2)
})

it('leaves retired agent servers out until the listener no longer reports them', () => {
  const [a, b] = ['a', 'b'].map((name) => ({ url: `http://${name}`, token: '' }))
  if (!a || !b) return
  const { known } = new World()
  const both = afterState({ ...known, retiring: [b.url] }, { kind: 'healthy', endpoints: [a, b] })
  expect(both).toMatchObject({ state: { endpoints: [a] }, retiring: [b.url] })
  expect(afterState(both, { kind: 'healthy', endpoints: [a] }).retiring).toEqual([])
})
