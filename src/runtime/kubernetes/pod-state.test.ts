import type { V1Pod } from '@kubernetes/client-node'
import { expect, it } from 'vitest'
import { readPod } from './pod-state.ts'

const podOf = (isReady: boolean, areReady: boolean[]): V1Pod => ({
  status: {
    phase: 'Running',
    conditions: [
      { type: 'PodScheduled', status: 'True' },
      { type: 'Ready', status: isReady ? 'True' : 'False' },
    ],
    containerStatuses: areReady.map((ready, i) => ({
      ...{ name: i === 0 ? 'agent' : `sidecar-${i}`, ready, restartCount: 0 },
      ...{ image: 'runyard', imageID: '', state: { running: {} } },
    })),
  },
})

it('is ready when the cluster says so', () => {
  expect(readPod(podOf(true, [true, true]))).toEqual({ kind: 'ready' })
})

it('is ready, but unheard, when only its node is not heard of', () => {
  expect(readPod(podOf(false, [true, true]))).toEqual({ kind: 'ready', isUnheard: true })
})

it('is starting as long as one of its containers is not ready', () => {
  expect(readPod(podOf(false, [true, false]))).toEqual({ kind: 'starting' })
  expect(readPod(podOf(false, []))).toEqual({ kind: 'starting' })
})

it.each(['No nodes', 'No nodes.'])(
  'ends the note for the message %j with one full stop',
  (message) => {
    const conditions = [{ type: 'PodScheduled', status: 'False', message }]
    const note = 'Kubernetes finds no room for it: No nodes.'
    expect(readPod({ status: { conditions } })).toEqual({ kind: 'starting', note })
  },
)
