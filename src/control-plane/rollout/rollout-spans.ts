/** A span for each rollout, with a child span for each state of its revision. */
import type { Deployment } from '../../core/deployment/deployment.ts'
import {
  isRevisionOver,
  type Revision,
  type RevisionStatus,
} from '../../core/deployment/revision.ts'
import type { OpenSpan, Tracer } from '../../core/tracing.ts'

type Rolled = Pick<Revision, 'id' | 'deployment_id' | 'created_at' | 'updated_at' | 'status'>

interface Open {
  rollout: OpenSpan
  /** The span of the present state. */
  state: OpenSpan
}

/** Kept in memory only: after a restart, open rollouts get new spans with the old start times. */
export class RolloutSpans {
  readonly #tracer: Tracer
  readonly #open = new Map<string, Open>()

  constructor(tracer: Tracer) {
    this.#tracer = tracer
  }

  /** The revision is in another state now. `message`: why it failed. */
  moved(
    deployment: Pick<Deployment, 'name'>,
    revision: Rolled,
    to: RevisionStatus,
    message?: string,
  ): void {
    const open = this.#open.get(revision.id) ?? this.#begin(deployment, revision)
    if (open.rollout.traceparent === undefined) return
    open.state.end()
    if (!isRevisionOver(to)) {
      this.#open.set(revision.id, { ...open, state: this.#beginState(open.rollout, to) })
      return
    }
    open.rollout.set({ 'runyard.status': to })
    if (to !== 'DEPLOYED') open.rollout.fail(message ?? to)
    open.rollout.end()
    this.#open.delete(revision.id)
  }

  /** The revision was interrupted, or goes with its deployment. */
  ended(revision_id: string): void {
    const open = this.#open.get(revision_id)
    this.#open.delete(revision_id)
    open?.state.end()
    open?.rollout.set({ 'runyard.status': 'INTERRUPTED' })
    open?.rollout.end()
  }

  #begin(deployment: Pick<Deployment, 'name'>, revision: Rolled): Open {
    const { id: revision_id, deployment_id, created_at, updated_at, status } = revision
    const rollout = this.#tracer.begin({
      name: `rollout ${deployment.name}`,
      kind: 'internal',
      attributes: { revision_id, deployment_id, deployment: deployment.name },
      startedAt: Date.parse(created_at),
    })
    return { rollout, state: this.#beginState(rollout, status, Date.parse(updated_at)) }
  }

  #beginState(rollout: OpenSpan, status: RevisionStatus, startedAt?: number): OpenSpan {
    return this.#tracer.begin({
      name: status,
      kind: 'internal',
      parent: rollout.traceparent,
      ...(startedAt !== undefined && { startedAt }),
    })
  }
}
