import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRevisionOver, REVISION_STATUSES, REVISION_TRANSITIONS } from '../deployment/revision.ts'
import type { Endpoints, RuntimeState } from '../deployment/runtime.ts'
import {
  type BuildState,
  nextRevisionStep,
  type RolloutStep,
  type RolloutView,
} from './revision-step.ts'

const DEPLOY_TIMEOUT_MS = 300_000
const endpoints: Endpoints = [{ url: 'http://127.0.0.1:4000', token: 'token' }]

const builds: BuildState[] = [
  { kind: 'absent' },
  { kind: 'blocked' },
  { kind: 'running' },
  { kind: 'built' },
  { kind: 'unknown' },
  { kind: 'failed', reason: 'install: npm said no' },
]
const runtimes: RuntimeState[] = [
  { kind: 'absent' },
  { kind: 'starting' },
  { kind: 'healthy', endpoints },
  { kind: 'restarting', reason: 'exit code 1', restarts: 1 },
  { kind: 'failed', reason: 'exit code 1' },
]

function viewOf(view: Partial<RolloutView>): RolloutView {
  return {
    status: 'CREATING',
    isFirstInLine: true,
    isSuperseded: false,
    build: { kind: 'absent' },
    runtime: { kind: 'absent' },
    deployingMs: 0,
    deployTimeoutMs: DEPLOY_TIMEOUT_MS,
    ...view,
  }
}

const built: BuildState = { kind: 'built' }
const unknown: BuildState = { kind: 'unknown' }
const late = DEPLOY_TIMEOUT_MS

const table: [string, Partial<RolloutView>, RolloutStep][] = [
  ['queues a new revision', { status: 'CREATING' }, { kind: 'move', to: 'QUEUED' }],
  ['begins the first in line', { status: 'QUEUED' }, { kind: 'move', to: 'AWAITING_BUILD' }],
  ['lets the second wait', { status: 'QUEUED', isFirstInLine: false }, { kind: 'wait' }],
  [
    'skips a queued one when a newer one waits',
    { status: 'QUEUED', isSuperseded: true },
    { kind: 'move', to: 'SKIPPED' },
  ],
  [
    'skips a waiting one when a newer one waits',
    { status: 'QUEUED', isFirstInLine: false, isSuperseded: true },
    { kind: 'move', to: 'SKIPPED' },
  ],
  ['enters the build', { status: 'AWAITING_BUILD' }, { kind: 'move', to: 'BUILDING' }],
  [
    'does not skip what has left the queue',
    { status: 'AWAITING_BUILD', isSuperseded: true },
    { kind: 'move', to: 'BUILDING' },
  ],
  [
    'waits for room to build',
    { status: 'AWAITING_BUILD', build: { kind: 'blocked' } },
    { kind: 'wait' },
  ],
  [
    'enters no build while it cannot tell whether there is one',
    { status: 'AWAITING_BUILD', build: unknown },
    { kind: 'wait' },
  ],
  ['builds', { status: 'BUILDING' }, { kind: 'build' }],
  [
    'builds nothing anew that it cannot read',
    { status: 'BUILDING', build: unknown },
    { kind: 'wait' },
  ],
  ['waits for a build', { status: 'BUILDING', build: { kind: 'running' } }, { kind: 'wait' }],
  [
    'waits for room to build again after a restart',
    { status: 'BUILDING', build: { kind: 'blocked' } },
    { kind: 'wait' },
  ],
  [
    'leaves the build when it is built',
    { status: 'BUILDING', build: built },
    { kind: 'move', to: 'AWAITING_DEPLOY' },
  ],
  [
    'fails with the reason of the build',
    { status: 'BUILDING', build: { kind: 'failed', reason: 'fetch: no such branch' } },
    { kind: 'move', to: 'BUILD_FAILED', reason: 'fetch: no such branch' },
  ],
  [
    'begins to deploy',
    { status: 'AWAITING_DEPLOY', build: built },
    { kind: 'move', to: 'DEPLOYING' },
  ],
  ['starts the runtime', { status: 'DEPLOYING', build: built }, { kind: 'start' }],
  [
    'waits while the runtime starts',
    { status: 'DEPLOYING', build: built, runtime: { kind: 'starting' } },
    { kind: 'wait' },
  ],
  [
    'waits for a runtime that died after it was healthy',
    {
      status: 'DEPLOYING',
      build: built,
      runtime: { kind: 'restarting', reason: 'killed', restarts: 1 },
    },
    { kind: 'wait' },
  ],
  [
    'switches when the runtime is healthy',
    { status: 'DEPLOYING', build: built, runtime: { kind: 'healthy', endpoints } },
    { kind: 'switch', endpoints },
  ],
  [
    'switches to a healthy runtime even when its time is up',
    {
      status: 'DEPLOYING',
      build: built,
      deployingMs: late,
      runtime: { kind: 'healthy', endpoints },
    },
    { kind: 'switch', endpoints },
  ],
  [
    'fails with the reason of the runtime',
    { status: 'DEPLOYING', build: built, runtime: { kind: 'failed', reason: 'exit code 1' } },
    { kind: 'move', to: 'DEPLOY_FAILED', reason: 'start: exit code 1' },
  ],
  [
    'fails when the runtime is not healthy in time',
    { status: 'DEPLOYING', build: built, deployingMs: late, runtime: { kind: 'starting' } },
    {
      kind: 'move',
      to: 'DEPLOY_FAILED',
      reason: 'start: its agent server was not healthy within 300 s.',
    },
  ],
  [
    'fails after the time that it was given',
    {
      status: 'DEPLOYING',
      build: built,
      deployingMs: 2000,
      deployTimeoutMs: 2000,
      runtime: { kind: 'restarting', reason: 'killed', restarts: 3 },
    },
    {
      kind: 'move',
      to: 'DEPLOY_FAILED',
      reason: 'start: its agent server was not healthy within 2 s. It last died with: killed',
    },
  ],
  [
    'gives nothing up whose build it cannot read',
    { status: 'DEPLOYING', build: unknown, deployingMs: late },
    { kind: 'wait' },
  ],
  [
    'fails when the built project is gone',
    { status: 'DEPLOYING' },
    {
      kind: 'move',
      to: 'DEPLOY_FAILED',
      reason: 'deploy: its built project is gone; deploy it again.',
    },
  ],
]

const anyView: fc.Arbitrary<RolloutView> = fc.record({
  status: fc.constantFrom(...REVISION_STATUSES),
  isFirstInLine: fc.boolean(),
  isSuperseded: fc.boolean(),
  build: fc.constantFrom(...builds),
  runtime: fc.constantFrom(...runtimes),
  deployingMs: fc.nat(2 * DEPLOY_TIMEOUT_MS),
  deployTimeoutMs: fc.constant(DEPLOY_TIMEOUT_MS),
})

describe('the next step of a rollout', () => {
  it.each(table)('%s', (_name, view, step) => {
    expect(nextRevisionStep(viewOf(view))).toEqual(step)
  })

  it.each(REVISION_STATUSES.filter(isRevisionOver))('leaves a revision at %s alone', (status) => {
    for (const build of builds) {
      for (const runtime of runtimes) {
        expect(nextRevisionStep(viewOf({ status, build, runtime }))).toEqual({ kind: 'wait' })
      }
    }
  })

  it('moves only along the transition table', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const step = nextRevisionStep(view)
        if (step.kind === 'move') expect(REVISION_TRANSITIONS[view.status]).toContain(step.to)
        if (step.kind === 'switch') expect(REVISION_TRANSITIONS[view.status]).toContain('DEPLOYED')
      }),
    )
  })

  it('gives a reason with every failure and with nothing else', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const step = nextRevisionStep(view)
        if (step.kind !== 'move') return
        expect(step.reason !== undefined).toBe(step.to.endsWith('_FAILED'))
      }),
    )
  })

  it('ends, wherever a revision is and whatever the world answers', () => {
    const outcome = fc.record({
      build: fc.constantFrom<BuildState>(built, { kind: 'failed', reason: 'install: no' }),
      runtime: fc.constantFrom(...runtimes.filter((state) => state.kind !== 'absent')),
    })
    fc.assert(
      fc.property(anyView, outcome, (first, world) => {
        let view = first
        for (let step = 0; step < 20 && !isRevisionOver(view.status); step++) {
          view = afterStep(view, nextRevisionStep(view), world)
        }
        expect(isRevisionOver(view.status)).toBe(true)
      }),
    )
  })
})

/** The world after a step: time passes, older revisions and builds end, records can be read. */
function afterStep(
  view: RolloutView,
  step: RolloutStep,
  world: { build: BuildState; runtime: RuntimeState },
): RolloutView {
  switch (step.kind) {
    case 'move':
      return { ...view, status: step.to }
    case 'switch':
      return { ...view, status: 'DEPLOYED' }
    case 'build':
      return { ...view, build: { kind: 'running' } }
    case 'start':
      return { ...view, runtime: { kind: 'starting' } }
    case 'wait':
      return afterWaiting(view, world)
  }
}

function afterWaiting(
  view: RolloutView,
  world: { build: BuildState; runtime: RuntimeState },
): RolloutView {
  return {
    ...view,
    isFirstInLine: true,
    build: buildAfterWaiting(view.build, world.build),
    runtime: view.runtime.kind === 'starting' ? world.runtime : view.runtime,
    deployingMs: view.deployingMs + DEPLOY_TIMEOUT_MS,
  }
}

function buildAfterWaiting(build: BuildState, outcome: BuildState): BuildState {
  if (build.kind === 'blocked') return { kind: 'absent' }
  return build.kind === 'running' || build.kind === 'unknown' ? outcome : build
}
