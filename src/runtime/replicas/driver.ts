/** A runtime driver that holds each revision's agent servers in this process, and starts them again itself. */
import type { Artifact } from '../../core/deployment/artifacts/artifact.ts'
import type { RuntimeDriver, RuntimeSpec } from '../../core/deployment/runtime.ts'
import type { Log } from '../../core/log.ts'
import type { Hearing, Replicas } from './replicas.ts'
import { createRevisionTable } from './revision-table.ts'

interface ReplicasDriverOptions<A extends Artifact> {
  /** Returns replicas that are not started yet. */
  create(spec: RuntimeSpec<A>, hearing: Hearing): Replicas
  log: Log
}

export function createReplicasDriver<A extends Artifact>({
  create,
  log,
}: ReplicasDriverOptions<A>): RuntimeDriver<A> {
  const { revisions, changed, noteLast, add, operations } = createRevisionTable<Replicas>(log)
  return {
    ...operations,
    start: (spec) =>
      add(
        spec.revision_id,
        () =>
          create(spec, {
            onChange: () => changed(spec.revision_id, spec.deployment_id),
            onLast: (reading) => noteLast(spec.deployment_id, reading),
          }),
        (replicas) => replicas.scale(spec.replicas ?? 1, async () => {}),
      ),
    async leave(graceMs) {
      await Promise.all([...revisions.values()].map((one) => one.leave(graceMs)))
      revisions.clear()
    },
  }
}
