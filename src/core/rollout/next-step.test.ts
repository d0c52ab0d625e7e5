import { describe, expect, it } from 'vitest'
import {
  anObservedDeployment,
  aReplica,
  endpoints,
  NOW,
} from '../../../test/support/control-plane/observed-deployment.ts'
import { nextDeploymentStep, RULES } from './next-step.ts'
import type { ActiveRevision, ObservedDeployment, RevisionOnItsWay } from './observed.ts'
import type { DeploymentStep } from './step.ts'

const next: RevisionOnItsWay = {
  id: 'next',
  status: 'DEPLOYING',
  build: { kind: 'built' },
  runtime: { kind: 'absent' },
  since: NOW - 1000,
}
const isRetiring = [{ id: 'active', isRetiring: true }]
const asleep = { isAsleep: true, running: [], target: { kind: 'asleep', isWanted: false } } as const
const wanted = { kind: 'asleep', isWanted: true } as const
const opened = { isPublic: true, hosts: ['agents.example.com'] }
const held = { target: { kind: 'held' }, running: [] } as const
const paused = { kind: 'paused' } as const
const nothing = { running: [], target: paused } as const
const gone = { runtime: { kind: 'absent' }, replicas: [] } as const
const failed = { runtime: { kind: 'failed', reason: 'exit 1' }, replicas: [] } as const
const mayNotBuild = { ...gone, build: { kind: 'failed', reason: 'install: no' } } as const
const retryAt = (at: number) => ({
  revision_id: 'active',
  retry: { afterMs: 1000, at },
  pressedAt: null,
  waited: null,
})
const died = [aReplica({}, { state: 'restarting', reason: 'exit 9' })]
const restarting = { kind: 'restarting', reason: 'exit 9', restarts: 1 } as const
const justNow = new Date(NOW - 59_999).toISOString()
const tooSoon = { runtime: restarting, replicas: died, deployed_at: justNow, previous: 1 } as const
const maySleep = { limits: { min: 0, max: 1 } }
const pressed = [aReplica({ running: 4, waiting: 2 })]

const point = { kind: 'point', revision_id: 'active', endpoints } as const
const hold = { kind: 'hold', isRestart: false } as const
const holdBriefly = { kind: 'hold', isRestart: true } as const

type Row = [
  name: string,
  deployment: Partial<ObservedDeployment>,
  active: Partial<ActiveRevision> | null,
  step: DeploymentStep | null,
]

const table: Row[] = [
  ['leaves what serves alone', {}, {}, null],
  // What the record says.
  ['removes what is to be deleted', { status: 'AWAITING_DELETE' }, {}, { kind: 'remove' }],
  ['makes a new one ready', { status: 'AWAITING_DATABASE' }, null, { kind: 'make-ready' }],
  ['notes that all revisions have failed', nothing, null, { kind: 'make-unused' }],
  ['leaves it so', { ...nothing, status: 'UNUSED' }, null, null],
  ['leaves one alone that has no revision yet', { ...nothing, hasRevisions: false }, null, null],
  [
    'makes it ready for the next revision',
    { status: 'UNUSED', line: [next] },
    null,
    { kind: 'make-ready' },
  ],
  [
    'has requests let in as the record says, whatever else there is to do',
    { entrance: { wanted: opened, there: { isPublic: false, hosts: [] } }, ...held },
    gone,
    { kind: 'enter', entrance: opened },
  ],
  [
    'leaves those alone that are let in as they should be',
    { entrance: { wanted: opened, there: { ...opened, hosts: [...opened.hosts] } } },
    {},
    null,
  ],
  [
    'takes a revision back that died too soon',
    {},
    tooSoon,
    { kind: 'take-back', revision_id: 'active', reason: 'exit 9' },
  ],
  [
    'takes nothing back that is woken in its first minute, and says what its start does',
    {},
    {
      ...tooSoon,
      runtime: { kind: 'starting' },
      replicas: [aReplica({}, { state: 'starting', reason: 'It imports ./agent.py, for 9 s.' })],
    },
    hold,
  ],
  [
    'takes nothing back where nothing served before',
    {},
    { ...tooSoon, previous: null },
    holdBriefly,
  ],
  ['takes a repeated revision not back', {}, { ...tooSoon, built_from: 'first' }, holdBriefly],
  ['takes one not back twice', {}, { ...tooSoon, status: 'DEPLOY_FAILED' }, holdBriefly],
  [
    'takes one not back after its first minute',
    {},
    { ...tooSoon, deployed_at: new Date(NOW - 60_000).toISOString() },
    holdBriefly,
  ],
  // Sleep.
  ['wakes what is asked for', { ...asleep, target: wanted }, gone, { kind: 'wake' }],
  ['wakes what has work', { ...asleep, wakeAt: NOW }, gone, { kind: 'wake' }],
  ['lets sleep what has work later', { ...asleep, wakeAt: NOW + 1 }, gone, null],
  ['holds requests before it sleeps', {}, maySleep, { kind: 'hold-asleep' }],
  [
    'sleeps once requests are held, until the first of its work is due',
    { target: asleep.target },
    {
      ...maySleep,
      replicas: [aReplica({ next_due_at: NOW + 9e6 }), aReplica({ next_due_at: NOW + 8e6 })],
    },
    { kind: 'sleep', wakeAt: NOW + 8e6, hasOwnAuth: false },
  ],
  [
    'notes that its project decides who may call it',
    { target: asleep.target },
    {
      ...maySleep,
      runtime: { kind: 'healthy', endpoints: [{ ...endpoints[0], hasOwnAuth: true }] },
    },
    { kind: 'sleep', wakeAt: null, hasOwnAuth: true },
  ],
  ['serves who asked while it fell asleep', { target: wanted }, maySleep, point],
  ['stays awake with min_scale 1', {}, { limits: { min: 1, max: 1 } }, null],
  ['stays awake for open requests', { activity: { open: 1, last_at: 0 } }, maySleep, null],
  ['stays awake a while', { activity: { open: 0, last_at: NOW - 119_999 } }, maySleep, null],
  [
    'stays awake while a revision is on its way',
    { line: [{ ...next, runtime: { kind: 'starting' } }] },
    maySleep,
    null,
  ],
  ['stays awake for runs', {}, { ...maySleep, replicas: [aReplica({ running: 1 })] }, null],
  [
    'stays awake for work that is due soon',
    {},
    { ...maySleep, replicas: [aReplica({ next_due_at: NOW + 120_000 })] },
    null,
  ],
  [
    'stays awake until it has told what it does',
    {},
    { ...maySleep, replicas: [aReplica({}, { load: null })] },
    null,
  ],
  [
    'stays awake a while after its start',
    {},
    { ...maySleep, replicas: [aReplica({}, { since: NOW - 1000 })] },
    null,
  ],
  // Where requests go.
  [
    'tells at once that nothing was ever deployed',
    { target: { kind: 'unknown' } },
    null,
    { kind: 'pause' },
  ],
  [
    'holds requests of what sleeps after a restart',
    { ...asleep, target: { kind: 'unknown' } },
    gone,
    { kind: 'hold-asleep' },
  ],
  [
    'holds requests while what went to sleep ends',
    { target: wanted, running: isRetiring },
    {},
    hold,
  ],
  ['points to what is healthy', { target: { kind: 'held' } }, {}, point],
  [
    'follows it to its new address',
    {
      target: { ...point, kind: 'serving', endpoints: [{ url: 'http://127.0.0.1:1', token: 't' }] },
    },
    {},
    point,
  ],
  [
    'points back where the record was not written',
    { target: { ...point, kind: 'serving', revision_id: 'next' } },
    {},
    point,
  ],
  [
    'leaves requests with the next revision while the active one does not run',
    {
      target: { ...point, kind: 'serving', revision_id: 'next' },
      line: [{ ...next, runtime: { kind: 'healthy', endpoints } }],
    },
    { runtime: restarting },
    { kind: 'switch', revision_id: 'next', endpoints },
  ],
  ['holds requests while it is started again', {}, { runtime: restarting }, holdBriefly],
  [
    'holds them while the build of the next one cannot be read',
    { line: [{ ...next, build: { kind: 'unknown' } }] },
    { runtime: restarting },
    holdBriefly,
  ],
  ['tells that nothing runs where it failed', {}, failed, { kind: 'pause' }],
  // What is not needed.
  [
    'ends a build that is not needed',
    { building: ['old'] },
    {},
    { kind: 'abort', revision_id: 'old' },
  ],
  [
    'goes on with builds that are',
    {
      building: ['active', 'next'],
      line: [{ ...next, status: 'BUILDING', build: { kind: 'running' } }],
    },
    {},
    null,
  ],
  [
    'retires what was replaced',
    {
      running: [
        { id: 'old', isRetiring: false },
        { id: 'active', isRetiring: false },
      ],
    },
    {},
    { kind: 'retire', revision_id: 'old' },
  ],
  ['retires it once', { running: [{ id: 'old', isRetiring: true }] }, {}, null],
  [
    'retires what sleeps',
    { ...asleep, running: [{ id: 'active', isRetiring: false }] },
    {},
    { kind: 'retire', revision_id: 'active' },
  ],
  // What does not run.
  [
    'starts the active revision',
    held,
    gone,
    { kind: 'start', revision_id: 'active', isStandby: false },
  ],
  ['does not start what still ends', { ...held, running: isRetiring }, gone, null],
  [
    'builds it where its build is gone',
    held,
    { ...gone, build: { kind: 'absent' } },
    { kind: 'build', revision_id: 'active' },
  ],
  ['waits for room to build it', held, { ...gone, build: { kind: 'blocked' } }, null],
  ['waits until its build can be read', held, { ...gone, build: { kind: 'unknown' } }, null],
  [
    'builds what failed and whose build is gone',
    { target: paused, timers: retryAt(NOW + 1) },
    { ...failed, build: { kind: 'absent' } },
    { kind: 'build', revision_id: 'active' },
  ],
  ['waits before it tries again', { target: paused, timers: retryAt(NOW + 1) }, failed, null],
  [
    'tries again what could not be started',
    { target: paused, timers: retryAt(NOW) },
    failed,
    { kind: 'retry', revision_id: 'active', reason: 'exit 1' },
  ],
  [
    'tries again what could not be built',
    { ...held, timers: retryAt(NOW) },
    mayNotBuild,
    { kind: 'retry', revision_id: 'active', reason: 'install: no' },
  ],
  // How many run.
  [
    'adds one where runs wait',
    {},
    { limits: { min: 1, max: 3 }, replicas: pressed },
    { kind: 'scale', revision_id: 'active', replicas: 2 },
  ],
  [
    'takes one away after a calm while',
    { timers: { revision_id: 'active', retry: null, pressedAt: NOW - 60_000, waited: null } },
    { limits: { min: 1, max: 3 }, replicas: [aReplica(), aReplica()] },
    { kind: 'scale', revision_id: 'active', replicas: 1 },
  ],
  [
    'takes none away before',
    { timers: { revision_id: 'active', retry: null, pressedAt: NOW - 59_999, waited: null } },
    { limits: { min: 1, max: 3 }, replicas: [aReplica(), aReplica()] },
    null,
  ],
  [
    'begins one anew that failed beside others',
    {},
    { limits: { min: 2, max: 2 }, replicas: [aReplica(), aReplica({}, { state: 'failed' })] },
    { kind: 'scale', revision_id: 'active', replicas: 2 },
  ],
  // Revisions on their way.
  [
    'starts the next revision beside it',
    { line: [next] },
    {},
    { kind: 'start', revision_id: 'next', isStandby: true },
  ],
  [
    'switches to it once it is healthy',
    { line: [{ ...next, runtime: { kind: 'healthy', endpoints } }] },
    {},
    { kind: 'switch', revision_id: 'next', endpoints },
  ],
  [
    'leaves the next revision alone whose build cannot be read',
    { line: [{ ...next, build: { kind: 'unknown' }, since: NOW - 300_000 }] },
    {},
    null,
  ],
  [
    'goes on with a younger revision while an older one waits',
    {
      line: [
        { ...next, runtime: { kind: 'starting' } },
        { ...next, id: 'younger', status: 'CREATING' },
      ],
    },
    {},
    { kind: 'move', revision_id: 'younger', to: 'QUEUED' },
  ],
  [
    'gives one up that was not healthy in time',
    { line: [{ ...next, runtime: { kind: 'starting' }, since: NOW - 300_000 }] },
    {},
    {
      kind: 'move',
      revision_id: 'next',
      to: 'DEPLOY_FAILED',
      reason: 'start: its agent server was not healthy within 300 s.',
    },
  ],
]

const observe = ([, change, active]: Row) =>
  anObservedDeployment(active === null ? { active: null, ...change } : change, active ?? {})

describe('the next step of a deployment', () => {
  it.each(table)('%s', (...row) => {
    expect(nextDeploymentStep(observe(row)).step).toEqual(row[3])
  })

  it('comes with the rule that names it, and each rule names some', () => {
    const said = table.map((row) => nextDeploymentStep(observe(row)))
    const reasons = new Set(said.flatMap((one) => (one.step ? [one.why] : [])))
    expect([...reasons].sort()).toEqual(RULES.map(({ why }) => why).sort())
  })
})

describe('the moment of the next look', () => {
  it.each<[string, Partial<ObservedDeployment>, Partial<ActiveRevision>, number | null]>([
    ['is none where it serves', {}, {}, null],
    ['is when it has to be awake', { ...asleep, wakeAt: NOW + 5 }, gone, NOW + 5],
    ['is when it may sleep', { activity: { open: 0, last_at: NOW - 1 } }, maySleep, NOW + 119_999],
    ['is when it is tried again', { target: paused, timers: retryAt(NOW + 7) }, failed, NOW + 7],
    [
      'is when there was a calm while',
      { timers: { revision_id: 'active', retry: null, pressedAt: NOW - 1, waited: null } },
      { limits: { min: 1, max: 3 }, replicas: [aReplica(), aReplica()] },
      NOW + 59_999,
    ],
    [
      'is when a revision has to be healthy',
      { line: [{ ...next, runtime: { kind: 'starting' } }] },
      {},
      NOW + 299_000,
    ],
  ])('%s', (_name, change, active, until) => {
    expect(nextDeploymentStep(anObservedDeployment(change, active))).toEqual({ step: null, until })
  })
})
