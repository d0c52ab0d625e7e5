import { expect, it } from 'vitest'
import { aRevision } from '../../../test/support/control-plane/control-plane-records.ts'
import { noTracer, type SpanOptions } from '../../core/tracing.ts'
import { RolloutSpans } from './rollout-spans.ts'

/** Notes what is begun and ended. */
function recording() {
  const told: string[] = []
  const begin = ({ name, parent }: SpanOptions) => {
    told.push(`${parent ?? ''} > ${name}`)
    return {
      traceparent: name,
      rename() {},
      set() {},
      fail: (message: string) => void told.push(`${name} failed: ${message}`),
      end: () => void told.push(`${name} ended`),
    }
  }
  return { told, spans: new RolloutSpans({ ...noTracer, begin }) }
}

const deployment = { name: 'support' }

it('has a span for each state of a rollout, and says why it failed', () => {
  const { told, spans } = recording()
  const revision = aRevision({ deployment_id: 'd', status: 'AWAITING_BUILD' })
  spans.moved(deployment, revision, 'BUILDING')
  spans.moved(deployment, { ...revision, status: 'BUILDING' }, 'BUILD_FAILED', 'npm ci failed')
  expect(told).toEqual([
    ' > rollout support',
    'rollout support > AWAITING_BUILD',
    'AWAITING_BUILD ended',
    'rollout support > BUILDING',
    'BUILDING ended',
    'rollout support failed: npm ci failed',
    'rollout support ended',
  ])
})

it('ends the spans of one that is interrupted', () => {
  const { told, spans } = recording()
  const revision = aRevision({ deployment_id: 'd', status: 'AWAITING_BUILD' })
  spans.moved(deployment, revision, 'BUILDING')
  spans.ended(revision.id)
  expect(told.slice(-2)).toEqual(['BUILDING ended', 'rollout support ended'])
  spans.ended(revision.id)
  expect(told.slice(-2)).toEqual(['BUILDING ended', 'rollout support ended'])
})
