import type { V1ContainerState, V1Job, V1Pod, V1PodStatus } from '@kubernetes/client-node'
import { describe, expect, it } from 'vitest'
import { readBuild } from './build-state.ts'

const LIMITS = { commandMs: 60_000, maxMemoryBytes: 512 * 1024 ** 2 }
const RUNNING: V1Job = { status: {} }
const failedWith = (reason: string): V1Job => ({
  status: { conditions: [{ type: 'Failed', status: 'True', reason }] },
})
const podOf = (state: V1ContainerState, status: V1PodStatus = {}, isGoing = false): V1Pod => ({
  metadata: isGoing ? { deletionTimestamp: new Date() } : {},
  status: {
    ...{ phase: 'Running', ...status },
    containerStatuses: [
      { ...{ name: 'build', image: 'runyard', imageID: '', ready: true, restartCount: 0, state } },
    ],
  },
})
const failed = (message: string) => ({
  ...{
    kind: 'ended',
    end: { kind: 'failed', step: 'job', message: expect.stringMatching(message) },
  },
})

describe('a build that goes on', () => {
  it('waits, and says for what where the cluster does', () => {
    expect(readBuild(RUNNING, undefined, LIMITS)).toEqual({ kind: 'waiting' })
    const creating = podOf({ waiting: { reason: 'ContainerCreating' } })
    expect(readBuild(RUNNING, creating, LIMITS)).toEqual({ kind: 'waiting' })
    const full = { type: 'PodScheduled', status: 'False', message: '0/1 nodes are available.' }
    const note = 'Kubernetes finds no room for it: 0/1 nodes are available'
    const pod: V1Pod = { status: { phase: 'Pending', conditions: [full] } }
    expect(readBuild(RUNNING, pod, LIMITS)).toEqual({ kind: 'waiting', note })
    expect(readBuild(failedWith('DeadlineExceeded'), pod, LIMITS)).toEqual(
      failed(`^It took longer than 1020 s in all and was ended. ${note}.$`),
    )
  })

  it('runs', () => {
    expect(readBuild(RUNNING, podOf({ running: {} }), LIMITS)).toEqual({ kind: 'running' })
  })
})

describe('a build that has ended', () => {
  const said = { kind: 'failed', step: 'install', message: 'It ended with exit code 3.' }

  it('is told of in its own words, whatever the cluster makes of it', () => {
    const pod = podOf({ terminated: { exitCode: 1, message: JSON.stringify(said) } })
    for (const job of [
      RUNNING,
      failedWith('BackoffLimitExceeded'),
      failedWith('DeadlineExceeded'),
    ]) {
      expect(readBuild(job, pod, LIMITS)).toEqual({ kind: 'ended', end: said })
    }
  })

  it.each<[string, V1Pod, string]>([
    [
      'took too much memory',
      podOf({ terminated: { exitCode: 137, reason: 'OOMKilled' } }, { phase: 'Failed' }),
      'more than the 512 MiB of memory',
    ],
    [
      'was evicted',
      podOf(
        { terminated: { exitCode: 137 } },
        { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
      ),
      '^Kubernetes has ended its pod: Evicted: The node was low on resource: memory.$',
    ],
    ['was killed', podOf({ terminated: { exitCode: 137 } }), 'it was ended by SIGKILL'],
    [
      'has an image that is not there',
      podOf({ waiting: { reason: 'ErrImageNeverPull', message: 'not present.' } }),
      '^Its container cannot be started: ErrImageNeverPull: not present.$',
    ],
  ])('%s', (_what, pod, why) => {
    expect(readBuild(RUNNING, pod, LIMITS)).toEqual(failed(why))
  })

  it('took too long', () => {
    const pod = podOf({ terminated: { exitCode: 143 } }, {}, true)
    const state = readBuild(failedWith('DeadlineExceeded'), pod, LIMITS)
    expect(state).toEqual(failed('^It took longer than 1020 s in all and was ended.$'))
  })

  it('is lost with its pod, unless more is heard of it', () => {
    const lost = { kind: 'lost', end: { message: expect.stringContaining('Its pod is gone') } }
    expect(readBuild(RUNNING, podOf({ running: {} }, {}, true), LIMITS)).toMatchObject(lost)
    expect(readBuild(failedWith('BackoffLimitExceeded'), undefined, LIMITS)).toMatchObject(lost)
  })
})
