/** Takes a deployment's unfinished revisions on, one step at a time. */

import { describeBroken } from '../../core/agent/parked-threads.ts'
import { type Clock, timestamp } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import {
  isRevisionOver,
  REVISION_STATUSES,
  type Revision,
  type RevisionStatus,
} from '../../core/deployment/revision.ts'
import { nextStep, type RolloutStep } from '../../core/deployment/rollout.ts'
import type { Endpoints, RuntimeDriver } from '../../core/deployment/runtime.ts'
import type { Log } from '../../core/log.ts'
import type { Builds } from './builds.ts'
import { statusMessage } from './failure.ts'
import type { Runtimes } from './runtimes.ts'
import type { Serving } from './serving.ts'

const UNFINISHED = REVISION_STATUSES.filter((status) => !isRevisionOver(status))
/** More than wait at a time; were there more, the oldest of these would be skipped as it should. */
const LINE_LENGTH = 1000

export interface RolloutsOptions {
  store: ControlPlaneStore
  driver: RuntimeDriver
  builds: Builds
  runtimes: Runtimes
  serving: Serving
  /** Hears of each rollout that has ended. */
  onOver: (deployment_id: string) => void
  deployTimeoutMs: number
  clock: Clock
  log: Log
}

export class Rollouts {
  readonly #options: RolloutsOptions
  /** When this process began to watch, in ms since 1970: nobody waited for a revision before. */
  readonly #since: number

  constructor(options: RolloutsOptions) {
    this.#options = options
    this.#since = options.clock.now()
  }

  /** The deployment's revisions that are not at an end, the oldest first. */
  async unfinished(deployment_id: string): Promise<Revision[]> {
    const page = { limit: LINE_LENGTH, offset: 0, statuses: UNFINISHED }
    return (await this.#options.store.revisions.list(deployment_id, page)).reverse()
  }

  /** Does the next step of each revision of the line. `true`: the record changed, so look again. */
  async advance(deployment: Deployment, line: Revision[]): Promise<boolean> {
    let hasChanged = false
    for (const [place, revision] of line.entries()) {
      const step = await this.#nextStep(revision, place === 0, place < line.length - 1)
      if (await this.#take(deployment, revision, step)) hasChanged = true
    }
    return hasChanged
  }

  async #nextStep(
    revision: Revision,
    isFirstInLine: boolean,
    isSuperseded: boolean,
  ): Promise<RolloutStep> {
    const { builds, driver, clock, deployTimeoutMs } = this.#options
    const watchedSince = Math.max(Date.parse(revision.updated_at), this.#since)
    return nextStep({
      status: revision.status,
      isFirstInLine,
      isSuperseded,
      build: await builds.state(revision),
      runtime: driver.observe(revision.id),
      deployingMs: clock.now() - watchedSince,
      deployTimeoutMs,
    })
  }

  async #take(deployment: Deployment, revision: Revision, step: RolloutStep): Promise<boolean> {
    switch (step.kind) {
      case 'wait':
        return false
      case 'build':
        this.#options.builds.begin(revision)
        return false
      case 'start':
        await this.#options.runtimes.start(deployment, revision, { isStandby: true })
        return false
      case 'move':
        return this.#move(revision, step.to, step.reason)
      case 'switch':
        return this.#switch(deployment, revision, step.endpoints)
    }
  }

  async #move(revision: Revision, to: RevisionStatus, reason?: string): Promise<boolean> {
    const { store, builds, clock, log } = this.#options
    if (to === 'AWAITING_DEPLOY') await this.#noteCommit(revision)
    const message = reason === undefined ? undefined : statusMessage(reason, revision.secrets)
    const hasMoved = await store.revisions.move(revision.id, {
      from: revision.status,
      to,
      updated_at: timestamp(clock),
      ...(message === undefined ? {} : { status_message: message }),
    })
    if (!hasMoved) return false
    if (isRevisionOver(to)) {
      builds.forget(revision.id)
      this.#options.onOver(revision.deployment_id)
    }
    log.info({ revision_id: revision.id, from: revision.status, to, message }, 'revision moved')
    return true
  }

  /** Before the revision leaves BUILDING: a crash in between does it again. */
  async #noteCommit(revision: Revision): Promise<void> {
    const built = await this.#options.builds.find(revision)
    if (!built?.repo_commit_sha) return
    await this.#options.store.revisions.setCommit(revision.id, built.repo_commit_sha)
  }

  /**
   * Until here the new revision has left the runs to the old one. The gateway first, so that whoever
   * reads DEPLOYED reaches this revision. What the gateway was told dies with the process: a crash
   * before the record is written leaves the revision DEPLOYING and the old one active, and it is
   * switched again. When the record cannot be written, `Serving` points the gateway back to the
   * active revision at the next look.
   */
  async #switch(
    deployment: Deployment,
    revision: Revision,
    endpoints: Endpoints,
  ): Promise<boolean> {
    const { store, driver, serving, clock, log } = this.#options
    const refusal = await this.#checkParkedThreads(deployment, revision)
    if (refusal) return this.#move(revision, 'DEPLOY_FAILED', refusal)
    await driver.activate(revision.id)
    serving.point(deployment, revision.id, endpoints)
    const updated_at = timestamp(clock)
    const hasMoved = await store.transaction(async (tx) => {
      const end = {
        from: 'DEPLOYING',
        to: 'DEPLOYED',
        updated_at,
        deployed_at: updated_at,
      } as const
      if (!(await tx.revisions.move(revision.id, end))) return false
      await tx.deployments.update(deployment.id, {
        active_revision_id: revision.id,
        asleep_since: null,
        wake_at: null,
        updated_at,
      })
      return true
    })
    log.info({ revision_id: revision.id, deployment: deployment.name, hasMoved }, 'switched')
    this.#options.onOver(deployment.id)
    return hasMoved
  }

  /**
   * Notes which parked threads the revision cannot go on with. Answers why it may not be deployed,
   * where the deployment says so; the way back is never barred.
   */
  async #checkParkedThreads(
    deployment: Deployment,
    revision: Revision,
  ): Promise<string | undefined> {
    if (deployment.active_revision_id === null) return undefined
    const verdict = await this.#options.driver.inspect(revision.id)
    if (!verdict) return undefined
    await this.#options.store.revisions.setParkedThreads(revision.id, verdict)
    const isBlocking = deployment.source_config.parked_threads === 'block'
    if (verdict.broken === 0 || !isBlocking || revision.built_from !== null) return undefined
    return `parked threads: ${describeBroken(verdict)}`
  }
}
