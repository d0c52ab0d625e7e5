import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../core/deployment/runtime.ts'
import { keyOf, nextPodStep, type PodStep, replicasOf } from './next-pod-step.ts'
import {
  failureOf,
  type Memory,
  type ObservedPod,
  type ObservedRevision,
  remember,
  servingOf,
  stateOf,
  type Wanted,
} from './observed-revision.ts'

const NOW = 1_000_000
const LIMITS = { healthTimeoutMs: 300_000, scalesItself: false }
const MEMORY: Memory = {
  ...{ isManaged: true, startedAt: NOW, notedAt: NOW, wasHealthy: false },
  ...{ downReason: undefined, failure: undefined, hasNoDeployment: false },
}
const SERVED = { ...MEMORY, wasHealthy: true }
const DEPLOYMENT = { replicas: 1, wasHealthy: false, failure: undefined, refusal: undefined }
const HEALTHY = { ...DEPLOYMENT, wasHealthy: true }
const WANTED: Wanted = { replicas: 1, isStandby: false }
const retire = async () => {}

function endpointOf(name: string): Endpoint {
  return { url: `http://${name}`, token: 't' }
}

function aPod(name: string, given: Partial<ObservedPod> = {}): ObservedPod {
  return {
    ...{ name, state: { kind: 'starting' }, endpoint: undefined, restarts: 0, released: 'not' },
    ...{ retirement: 'none', failure: undefined, doing: undefined, reason: null },
    ...given,
  }
}

function ready(name: string, given: Partial<ObservedPod> = {}): ObservedPod {
  return aPod(name, { state: { kind: 'ready' }, endpoint: endpointOf(name), ...given })
}

const ending = { state: { kind: 'ending' } } as const
const lingering = { ...ending, lingersUntil: NOW + 58_000 }
const down = {
  state: {
    kind: 'down',
    reason: 'it ended with exit code 1',
    container: 'agent',
    isPrevious: false,
  },
} as const
const over = { state: { ...down.state, isOver: true } } as const
const stop = { graceSeconds: 10, since: NOW }

type Row = [
  name: string,
  observed: Partial<ObservedRevision>,
  wanted: Partial<Wanted>,
  step: PodStep | null,
]

const table: Row[] = [
  ['waits for its pod', { pods: [] }, {}, null],
  ['notes that it is healthy', { pods: [ready('a')] }, {}, { kind: 'note-healthy' }],
  ['leaves what serves alone', { deployment: HEALTHY, pods: [ready('a')] }, {}, null],
  [
    'takes no step before all of its objects are known',
    { memory: { ...MEMORY, isManaged: false }, pods: [ready('a')] },
    { replicas: 3 },
    null,
  ],
  [
    'reads how a pod ended before the revision fails',
    { pods: [aPod('a', down)] },
    {},
    { kind: 'read-end', pod: 'a' },
  ],
  [
    'fails with the reason and the last words',
    { pods: [aPod('a', { ...down, lines: ['no such module'] })] },
    {},
    {
      kind: 'fail',
      reason: 'The agent server did not start: it ended with exit code 1.\nno such module',
    },
  ],
  [
    'prefers the agent server’s own reason',
    { pods: [aPod('a', { ...down, lines: [], failure: 'No graph is named.' })] },
    {},
    { kind: 'fail', reason: 'No graph is named.' },
  ],
  [
    'fails for what cannot be started',
    { pods: [aPod('a', { state: { kind: 'impossible', reason: 'No image.' } })] },
    {},
    { kind: 'fail', reason: 'No image.' },
  ],
  [
    'fails where the cluster makes no pods',
    { deployment: { ...DEPLOYMENT, refusal: 'It is forbidden.' } },
    {},
    { kind: 'fail', reason: 'It is forbidden.' },
  ],
  [
    'gives up when the time is over',
    { memory: { ...MEMORY, startedAt: NOW - 300_000 }, pods: [aPod('a', { doing: 'waits' })] },
    {},
    {
      ...{ kind: 'give-up', pod: 'a' },
      why: 'The agent server was not healthy within 300 s: it waits. RUNYARD_START_TIMEOUT_SECS sets the limit.',
    },
  ],
  [
    'counts no time before the cluster has its Deployment',
    { memory: { ...MEMORY, startedAt: 0 }, deployment: undefined },
    {},
    null,
  ],
  [
    'never fails once it was healthy',
    {
      ...{ deployment: HEALTHY, memory: { ...SERVED, startedAt: 0 } },
      pods: [aPod('a', { ...down, lines: [] })],
    },
    {},
    null,
  ],
  [
    'notes its failure, which keeps no pods',
    { memory: { ...MEMORY, failure: 'No image.' } },
    {},
    { kind: 'note-failure', reason: 'No image.' },
  ],
  [
    'notes the step of a long start',
    { memory: { ...MEMORY, notedAt: NOW - 10_000 }, pods: [aPod('a', { reason: 'It loads.' })] },
    {},
    { kind: 'note-start', reason: 'It loads.' },
  ],
  ['writes its role first', { isStandby: true }, {}, { kind: 'write-role', isStandby: false }],
  [
    'has more pods kept',
    { deployment: HEALTHY, pods: [ready('a')] },
    { replicas: 3, retire },
    { kind: 'scale', replicas: 3 },
  ],
  [
    'retires the youngest that are too many',
    { deployment: { ...HEALTHY, replicas: 2 }, pods: [ready('a'), ready('b')] },
    { retire },
    { kind: 'retire', pod: 'b' },
  ],
  [
    'leaves a pod to the cluster that keeps one less already',
    { deployment: HEALTHY, pods: [ready('a'), ready('b')] },
    { retire },
    null,
  ],
  [
    'retires the one that does not answer, though it is older',
    {
      deployment: { ...HEALTHY, replicas: 2 },
      pods: [aPod('a', down), ready('b')],
      memory: SERVED,
    },
    { retire },
    { kind: 'read-end', pod: 'a' },
  ],
  [
    'keeps the replacement of an evicted pod, of which the cluster keeps a record',
    { deployment: HEALTHY, pods: [aPod('a', { ...over, lines: [] }), ready('b')] },
    { retire },
    null,
  ],
  [
    'keeps a pod while it drains',
    {
      deployment: { ...HEALTHY, replicas: 2 },
      pods: [ready('a'), ready('b', { retirement: 'draining' })],
    },
    { retire },
    null,
  ],
  [
    'has one less kept when it has drained',
    {
      deployment: { ...HEALTHY, replicas: 2 },
      pods: [ready('a'), ready('b', { retirement: 'drained' })],
    },
    { retire },
    { kind: 'scale', replicas: 1 },
  ],
  [
    'deletes it after that',
    { deployment: HEALTHY, pods: [ready('a'), ready('b', { retirement: 'drained' })] },
    { retire },
    { kind: 'delete', pod: 'b', graceSeconds: 5 },
  ],
  [
    'lets an evicted pod go on while no other one answers',
    { deployment: HEALTHY, pods: [ready('a', lingering), aPod('b')], memory: SERVED },
    {},
    null,
  ],
  [
    'releases it when another one does',
    { deployment: HEALTHY, pods: [ready('a', lingering), ready('b')] },
    {},
    { kind: 'release', pod: 'a', how: 'drains' },
  ],
  [
    'releases it when its time is over',
    { deployment: HEALTHY, pods: [ready('a', { ...ending, lingersUntil: NOW })] },
    {},
    { kind: 'release', pod: 'a', how: 'drains' },
  ],
  [
    'leaves the number of pods to the cluster where that scales',
    { deployment: { ...HEALTHY, replicas: 5 }, limits: { ...LIMITS, scalesItself: true } },
    { retire },
    null,
  ],
  // A stop.
  [
    'lets its pods end at once',
    { pods: [ready('a')] },
    { stop },
    { kind: 'release', pod: 'a', how: 'at-once' },
  ],
  ['makes nothing after a stop: it waits', { underWay: new Set(['begin']) }, { stop }, null],
  [
    'keeps no pods',
    { pods: [ready('a', { released: 'at-once' })] },
    { stop },
    { kind: 'scale', replicas: 0 },
  ],
  [
    'has a pod that ends killed in time',
    {
      deployment: { ...HEALTHY, replicas: 0 },
      pods: [ready('a', { ...ending, released: 'at-once' })],
    },
    { stop },
    { kind: 'delete', pod: 'a', graceSeconds: 10 },
  ],
  [
    'gives the cluster time to delete it',
    { deployment: { ...HEALTHY, replicas: 0 }, pods: [ready('a', { released: 'at-once' })] },
    { stop },
    null,
  ],
  [
    'shortens the time of a pod for a second stop',
    {
      deployment: { ...HEALTHY, replicas: 0 },
      pods: [ready('a', { ...ending, released: 'at-once', deletedWithin: 60 })],
    },
    { stop },
    { kind: 'delete', pod: 'a', graceSeconds: 10 },
  ],
  ['removes its Deployment', {}, { stop }, { kind: 'remove-deployment' }],
  [
    'waits for its pods before the rest goes',
    {
      ...{ deployment: undefined, memory: { ...MEMORY, hasNoDeployment: true } },
      pods: [ready('a', { ...ending, released: 'at-once', deletedWithin: 10 })],
    },
    { stop },
    null,
  ],
  [
    'removes the rest',
    { deployment: undefined, memory: { ...MEMORY, hasNoDeployment: true } },
    { stop },
    { kind: 'remove-rest' },
  ],
]

describe('the next step of a revision', () => {
  it.each(table)('%s', (_name, observed, wanted, step) => {
    const all: ObservedRevision = {
      ...{ deployment: DEPLOYMENT, isStandby: false, pods: [], memory: MEMORY },
      ...{ underWay: new Set(), limits: LIMITS },
      ...observed,
    }
    expect(nextPodStep(all, { ...WANTED, ...wanted }, NOW).step).toEqual(step)
  })
})

/** A cluster with one revision, and a driver that may be restarted and be refused. */
class World {
  now = NOW
  deployment: ObservedRevision['deployment'] = { ...DEPLOYMENT }
  role = true
  pods: ObservedPod[] = []
  memory: Memory = MEMORY
  wanted: Wanted = { ...WANTED, isStandby: true }
  readonly underWay = new Map<string, PodStep>()
  isGone = false
  #made = 0

  observe(): ObservedRevision {
    const { deployment, role: isStandby, pods, memory, underWay } = this
    return { deployment, isStandby, pods, memory, underWay, limits: LIMITS }
  }

  /** Takes all steps that there are. */
  look(): void {
    for (let count = 0; !this.isGone; count++) {
      expect(count, 'there is no end').toBeLessThan(60)
      const observed = this.observe()
      this.memory = remember(observed)
      const { step } = nextPodStep({ ...observed, memory: this.memory }, this.wanted, this.now)
      if (!step) break
      this.#check(step)
      this.#begin(step)
    }
  }

  /** What must never happen. */
  #check(step: PodStep): void {
    const { pods, wanted, memory } = this
    const answering = servingOf(pods).filter(({ endpoint }) => endpoint)
    const failure = failureOf(this.observe())
    if (step.kind === 'fail' || step.kind === 'give-up') {
      expect(memory.wasHealthy || this.deployment?.wasHealthy, 'one that served fails').toBe(false)
    }
    if (wanted.stop) return
    const pod = 'pod' in step ? pods.find(({ name }) => name === step.pod) : undefined
    if (step.kind === 'retire' && pod?.endpoint) {
      expect(answering.length, 'the last healthy pod is retired').toBeGreaterThan(wanted.replicas)
    }
    if (step.kind === 'delete') expect(pod?.retirement).toBe('drained')
    if (step.kind === 'release' && pod?.endpoint && failure === undefined) {
      expect(answering.length, 'no other pod answers').toBeGreaterThanOrEqual(wanted.replicas)
    }
    if (step.kind === 'scale' && failure === undefined) {
      expect(step.replicas).toBeGreaterThanOrEqual(wanted.replicas)
    }
  }

  /** What the driver does at once. */
  #begin(step: PodStep): void {
    switch (step.kind) {
      case 'release':
        this.set(step.pod, { released: step.how })
        if (step.how === 'drains') this.set(step.pod, { endpoint: undefined })
        return
      case 'fail':
        this.memory = { ...this.memory, failure: step.reason }
        return
      case 'note-start':
        this.memory = { ...this.memory, notedAt: this.now }
        return
      case 'retire':
        this.set(step.pod, { retirement: 'draining', endpoint: undefined })
        break
      case 'delete':
        this.set(step.pod, { deletedWithin: step.graceSeconds })
        break
      default:
    }
    this.underWay.set(keyOf(step), step)
  }

  /** A step that is under way comes to its end. */
  end(step: PodStep): void {
    this.underWay.delete(keyOf(step))
    switch (step.kind) {
      case 'read-end':
        if (this.pods.find(({ name }) => name === step.pod)?.state.kind === 'down') {
          this.set(step.pod, { lines: ['its last words'] })
        }
        return
      case 'give-up':
        if (stateOf(this.observe()).kind === 'starting') {
          this.memory = { ...this.memory, failure: step.why }
        }
        return
      case 'note-failure':
        this.patch({ failure: step.reason, replicas: 0 })
        return
      case 'note-healthy':
        this.patch({ wasHealthy: true })
        return
      case 'write-role':
        this.role = step.isStandby
        return
      case 'retire':
        this.set(step.pod, { retirement: 'drained', released: 'at-once' })
        return
      case 'scale':
        this.patch({ replicas: step.replicas })
        return
      case 'delete':
        if (this.pods.some(({ name }) => name === step.pod)) this.beginEnd(step.pod)
        return
      case 'remove-deployment':
        this.deployment = undefined
        this.memory = { ...this.memory, hasNoDeployment: true }
        return
      case 'remove-rest':
        this.isGone = true
        return
      default:
    }
  }

  patch(given: object): void {
    if (this.deployment) this.deployment = { ...this.deployment, ...given }
  }

  set(name: string, given: Partial<ObservedPod>): void {
    this.pods = this.pods.map((pod) => (pod.name === name ? { ...pod, ...given } : pod))
  }

  /** The cluster asks the pod to end: it answers on unless it was released. */
  beginEnd(name: string): void {
    const pod = this.pods.find((one) => one.name === name)
    if (!pod || pod.state.kind === 'ending') return
    const lingers = pod.released === 'not' && pod.retirement === 'none'
    if (lingers && pod.endpoint) this.set(name, { ...ending, lingersUntil: this.now + 58_000 })
    else this.set(name, { ...ending, endpoint: undefined })
  }

  /** A pod that nothing has released ends by itself when its time is over. */
  pass(ms: number): void {
    this.now += ms
    for (const { name, lingersUntil } of this.pods) {
      if (lingersUntil !== undefined && lingersUntil <= this.now) {
        this.set(name, { endpoint: undefined })
      }
    }
  }

  /** What the cluster's controller does. */
  control(): void {
    const kept = this.pods.filter((pod) => pod.state.kind !== 'ending' && !isOver(pod))
    const { replicas = 0 } = this.deployment ?? {}
    for (let count = kept.length; count < replicas; count++) {
      this.#made += 1
      this.pods = [...this.pods, aPod(`pod-${String(this.#made).padStart(4, '0')}`)]
    }
    const cost = (pod: ObservedPod) => (pod.retirement === 'none' ? 1 : 0)
    const surplus = kept.toSorted((a, b) => cost(a) - cost(b)).slice(0, kept.length - replicas)
    if (kept.length > replicas) for (const { name } of surplus) this.beginEnd(name)
  }

  /** All that is under way ends well, and all that is to be ends or becomes ready. */
  settle(): void {
    for (let round = 0; round < 60 && !this.isGone; round++) {
      this.pass(10_000)
      this.control()
      for (const step of [...this.underWay.values()]) this.end(step)
      for (const { name, endpoint } of this.pods) if (!endpoint) this.becomeReady(name)
      this.pods = this.pods.filter(
        (pod) => !isOver(pod) && (pod.state.kind !== 'ending' || pod.released === 'not'),
      )
      this.look()
    }
  }

  becomeReady(name: string): void {
    const { state, retirement } = this.pods.find((pod) => pod.name === name) as ObservedPod
    if (state.kind === 'ending' || (state.kind === 'down' && state.isOver)) return
    const isServing = retirement === 'none'
    const lines = { lines: undefined } as unknown as Partial<ObservedPod>
    this.set(name, { ...ready(name), retirement, ...lines })
    if (!isServing) this.set(name, { endpoint: undefined })
  }
}

function isOver({ state }: ObservedPod): boolean {
  return state.kind === 'down' && state.isOver === true
}

type Happening = (world: World, n: number) => void

function toOne(change: (world: World, name: string) => void): Happening {
  return (world, n) => {
    const pod = world.pods[n % Math.max(1, world.pods.length)]
    if (pod) change(world, pod.name)
  }
}

const isLive = ({ state }: ObservedPod) => state.kind !== 'ending' && state.kind !== 'down'

const HAPPENINGS: Record<string, Happening> = {
  'the cluster acts': (world) => world.control(),
  'a pod becomes ready': toOne((world, name) => world.becomeReady(name)),
  'a pod dies': toOne((world, name) => {
    const pod = world.pods.find((one) => one.name === name) as ObservedPod
    if (isLive(pod)) world.set(name, { ...down, endpoint: undefined, restarts: 1 })
  }),
  'a pod is over': toOne((world, name) => {
    const pod = world.pods.find((one) => one.name === name) as ObservedPod
    if (isLive(pod)) world.set(name, { ...over, endpoint: undefined })
  }),
  'a pod is evicted': toOne((world, name) => world.beginEnd(name)),
  'a pod is silent': toOne((world, name) => world.set(name, { endpoint: undefined })),
  'a pod is gone': toOne((world, name) => {
    const pod = world.pods.find((one) => one.name === name) as ObservedPod
    if (!isLive(pod)) world.pods = world.pods.filter((one) => one !== pod)
  }),
  'a step ends': (world, n) => {
    const step = [...world.underWay.values()][n % Math.max(1, world.underWay.size)]
    if (step) world.end(step)
  },
  'a step is refused': (world, n) => {
    const step = [...world.underWay.values()][n % Math.max(1, world.underWay.size)]
    // These never are: they ask nothing of the cluster that it could refuse.
    if (!step || step.kind === 'retire' || step.kind === 'read-end') return
    world.underWay.delete(keyOf(step))
    if (step.kind === 'delete') {
      world.set(step.pod, { deletedWithin: undefined } as unknown as Partial<ObservedPod>)
    }
  },
  'time passes': (world, n) => world.pass(n * 100),
  'it is scaled': (world, n) => {
    world.wanted = { ...world.wanted, replicas: 1 + (n % 4), retire }
  },
  'others scale it': (world, n) => world.patch({ replicas: n % 4 }),
  'its role changes': (world, n) => {
    world.wanted = { ...world.wanted, isStandby: n % 2 === 0 }
  },
  'it is stopped': (world, n) => {
    const { now } = world
    world.wanted = { ...world.wanted, stop: { graceSeconds: 1 + (n % 3), since: now } }
  },
  'the driver is restarted': (world) => {
    world.underWay.clear()
    const { stop: _, ...wanted } = world.wanted
    const draining = world.pods.filter(
      ({ retirement, state }) => retirement !== 'none' && state.kind !== 'ending',
    )
    const { replicas = wanted.replicas } = world.deployment ?? {}
    world.wanted = { ...wanted, replicas: Math.max(1, replicas - draining.length) }
    const failure = world.deployment ? undefined : 'It was started no further than its Secret.'
    world.memory = { ...MEMORY, startedAt: world.now, notedAt: world.now, failure }
    world.pods = world.pods.map(({ deletedWithin: _, ...pod }) =>
      pod.retirement === 'none' ? { ...pod, released: 'not' } : pod,
    )
    for (const { name } of draining) {
      world.set(name, { retirement: 'drained', released: 'at-once' })
    }
  },
}

const OFTEN = ['the cluster acts', 'a pod becomes ready', 'a step ends', 'time passes']
const ALL = Object.keys(HAPPENINGS)

const histories = fc.array(
  fc.record({
    what: fc.constantFrom(...ALL, ...OFTEN, ...OFTEN, ...OFTEN),
    n: fc.nat(1000),
    isSeen: fc.constantFrom(true, true, true, false),
  }),
  { maxLength: 60, size: 'max' },
)

function live(events: { what: string; n: number; isSeen: boolean }[]): World {
  const world = new World()
  for (const { what, n, isSeen } of events) {
    if (world.isGone) break
    HAPPENINGS[what]?.(world, n)
    if (isSeen) world.look()
  }
  return world
}

describe('a revision with any history', () => {
  it('comes to what is wanted, and never loses its last healthy pod on the way', () => {
    const ends = new Set<string>()
    fc.assert(
      fc.property(histories, (events) => {
        const world = live(events)
        world.settle()
        const { pods, wanted, deployment } = world
        const observed = world.observe()
        if (wanted.stop) {
          expect(world.isGone).toBe(true)
          expect(pods).toEqual([])
          ends.add('stopped')
        } else if (failureOf(observed) !== undefined) {
          if (deployment)
            expect(deployment).toMatchObject({ replicas: 0, failure: expect.any(String) })
          expect(pods).toEqual([])
          ends.add('failed')
        } else {
          expect(deployment).toMatchObject({ replicas: replicasOf(observed, wanted) })
          expect(pods.map(({ state }) => state.kind)).toEqual(
            Array.from({ length: wanted.replicas }, () => 'ready'),
          )
          expect(stateOf(observed).kind).toBe('healthy')
          expect(world.role).toBe(wanted.isStandby)
          ends.add('healthy')
        }
        if (!world.isGone) expect([...world.underWay.keys()]).toEqual([])
      }),
      { numRuns: 400 },
    )
    // Else the histories are too tame to prove anything.
    expect([...ends].toSorted()).toEqual(['failed', 'healthy', 'stopped'])
  })

  it('needs no look before the moment that is named', () => {
    fc.assert(
      fc.property(histories, fc.nat(99), (events, percent) => {
        const world = live(events)
        if (world.isGone) return
        world.look()
        if (world.isGone) return
        const decision = nextPodStep(world.observe(), world.wanted, world.now)
        if (decision.step) throw new Error('There was a step left.')
        const until = decision.until ?? world.now + 10_000_000
        expect(until).toBeGreaterThan(world.now)
        const now = world.now + ((until - world.now) * percent) / 100
        expect(nextPodStep(world.observe(), world.wanted, now).step).toBeNull()
      }),
      { numRuns: 200 },
    )
  })
})
