/** Wraps a driver and refuses artifacts that it cannot start, so that no driver has to. */
import type { Clock } from '../core/clock.ts'
import type { Artifact, ArtifactKind } from '../core/deployment/artifacts/artifact.ts'
import type { RuntimeDriver, RuntimeSpec } from '../core/deployment/runtime.ts'

interface Refusals<A extends Artifact> {
  /** The driver's, as the operator knows it. */
  name: string
  /** The kinds of artifacts that it can start. */
  artifacts: readonly A['kind'][]
  clock: Clock
}

interface Refused {
  deployment_id: string
  reason: string
  /** In ms since 1970. */
  since: number
}

/** A refused revision is `failed` until it is stopped, with a reason that says what to do. */
export function createRefusingDriver<A extends Artifact>(
  { name, artifacts, clock }: Refusals<A>,
  driver: RuntimeDriver<A>,
): RuntimeDriver {
  const refused = new Map<string, Refused>()
  const listeners = new Set<Parameters<RuntimeDriver['onChange']>[0]>()
  const changed = (revision_id: string, { deployment_id }: Refused) => {
    for (const listener of listeners) listener(revision_id, deployment_id)
  }
  const isTaken = (spec: RuntimeSpec): spec is RuntimeSpec<A> =>
    artifacts.includes(spec.artifact.kind)
  return {
    async start(spec) {
      const { revision_id, deployment_id } = spec
      if (isTaken(spec)) {
        refused.delete(revision_id)
        return driver.start(spec)
      }
      const reason = explain(name, artifacts, spec.artifact.kind)
      const now = { deployment_id, reason, since: clock.now() }
      refused.set(revision_id, now)
      changed(revision_id, now)
    },
    observe(revision_id) {
      const failed = refused.get(revision_id)
      return failed ? { kind: 'failed', reason: failed.reason } : driver.observe(revision_id)
    },
    revisionsOf(deployment_id) {
      const own = [...refused].filter(([, one]) => one.deployment_id === deployment_id)
      return [...driver.revisionsOf(deployment_id), ...own.map(([revision_id]) => revision_id)]
    },
    replicas(revision_id) {
      const failed = refused.get(revision_id)
      if (!failed) return driver.replicas(revision_id)
      const { since, reason } = failed
      return [{ state: 'failed', since, restarts: 0, reason, load: null }]
    },
    readings: (revision_id) => driver.readings(revision_id),
    takeLastReadings: (deployment_id) => driver.takeLastReadings(deployment_id),
    inspect: (revision_id) => driver.inspect(revision_id),
    activate: (revision_id) => driver.activate(revision_id),
    scale: (revision_id, count, retire) => driver.scale(revision_id, count, retire),
    drain: (revision_id, limits) => driver.drain(revision_id, limits),
    async stop(revision_id, graceMs) {
      const failed = refused.get(revision_id)
      if (!failed) return driver.stop(revision_id, graceMs)
      refused.delete(revision_id)
      changed(revision_id, failed)
    },
    onChange(listener) {
      const unsubscribe = driver.onChange(listener)
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        unsubscribe()
      }
    },
    async stopAll(graceMs) {
      refused.clear()
      await driver.stopAll(graceMs)
    },
    async leave(graceMs) {
      refused.clear()
      await driver.leave(graceMs)
    },
  }
}

const WORDS: Readonly<Record<ArtifactKind, { one: string; all: string }>> = {
  folder: { one: 'a folder', all: 'folders' },
  image: { one: 'an image', all: 'images' },
}

function explain(name: string, taken: readonly ArtifactKind[], kind: ArtifactKind): string {
  const { one, all } = WORDS[kind]
  return (
    `The revision is ${one}, and the runtime driver ${name} only starts ` +
    `${taken.map((each) => WORDS[each].all).join(' and ')}. Set RUNYARD_RUNTIME to a driver that ` +
    `starts ${all}, or deploy from another source.`
  )
}
