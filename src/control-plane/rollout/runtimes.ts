/** The agent servers that this process has started: it starts them, and ends those of no more use. */
import { setTimeout as delay } from 'node:timers/promises'
import { projectSecrets } from '../../core/deployment/deploy-key.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { Revision } from '../../core/deployment/revision.ts'
import type { RuntimeDriver } from '../../core/deployment/runtime.ts'
import { scaleLimits } from '../../core/deployment/scaling.ts'
import type { TargetTable } from '../../core/deployment/target.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Log } from '../../core/log.ts'
import type { Builds } from './builds.ts'

/** How long beyond its limits an agent server may take to say that it has drained, in ms. */
const UNANSWERED_MS = 5_000

export interface RuntimesOptions {
  builds: Builds
  driver: RuntimeDriver
  targets: TargetTable
  drainMs: number
  checkpointMs: number
  stopGraceMs: number
  /** Hears when the next work of one that was drained is due, in ms since 1970. */
  onDue: (deployment_id: string, due: number) => Promise<void>
  /** Hears of the end of one that was retired. */
  onEnd: (deployment_id: string) => void
  log: Log
}

/**
 * Nothing is remembered beyond this process, whose end is the end of all it has started: what is of
 * use then is started again from the record.
 */
export class Runtimes {
  readonly #options: RuntimesOptions
  /** Revision → deployment. */
  readonly #started = new Map<string, string>()
  readonly #retiring = new Set<string>()
  #isStopped = false

  constructor(options: RuntimesOptions) {
    this.#options = options
  }

  /** Begins; does nothing when the revision is not built. */
  async start(
    deployment: Deployment,
    revision: Revision,
    { isStandby = false } = {},
  ): Promise<void> {
    const built = await this.#options.builds.find(revision)
    if (!built) return
    this.#started.set(revision.id, deployment.id)
    const resource_spec = (revision.source_config.resource_spec ?? null) as JsonObject | null
    await this.#options.driver.start({
      revision_id: revision.id,
      deployment_id: deployment.id,
      deployment_name: deployment.name,
      configPath: built.configPath,
      nodePath: built.nodePath,
      ...(built.bundlePath !== undefined && { bundlePath: built.bundlePath }),
      secrets: projectSecrets(revision.secrets),
      resource_spec,
      replicas: Math.max(1, scaleLimits(resource_spec).min),
      isStandby,
    })
  }

  /** Whether it is on its way to its end. */
  isRetiring(revision_id: string): boolean {
    return this.#retiring.has(revision_id)
  }

  /** Whose it is; `undefined` where it was not started here. */
  deploymentOf(revision_id: string): string | undefined {
    return this.#started.get(revision_id)
  }

  /** Drains and ends, in the background, those of the deployment that are not needed any more. */
  retire(deployment_id: string, needed: ReadonlySet<string>): void {
    for (const revision_id of this.#startedOf(deployment_id)) {
      if (needed.has(revision_id) || this.#retiring.has(revision_id)) continue
      this.#retiring.add(revision_id)
      void this.#drainAndEnd(revision_id, deployment_id)
    }
  }

  /** Ends those of a deployment without draining, and waits until they are gone. */
  async endAll(deployment_id: string): Promise<void> {
    await Promise.all(this.#startedOf(deployment_id).map((id) => this.#end(id)))
  }

  /** What is draining is left to whoever ends all runtimes. */
  stop(): void {
    this.#isStopped = true
  }

  #startedOf(deployment_id: string): string[] {
    return [...this.#started].filter(([, id]) => id === deployment_id).map(([id]) => id)
  }

  /**
   * Its runs end or are handed on to the revision that took over, and its requests end: those that
   * wait for a run see it end wherever it is executed. Streams that are still open then are cut, and
   * resumed there.
   */
  async #drainAndEnd(revision_id: string, deployment_id: string): Promise<void> {
    const { targets, drainMs, log } = this.#options
    try {
      await Promise.all([this.#drainRuns(revision_id), targets.drain({ revision_id }, drainMs)])
      if (!this.#isStopped) await this.#end(revision_id)
    } catch (error) {
      log.error({ err: error, revision_id }, 'an agent server could not be ended; trying again')
    } finally {
      this.#retiring.delete(revision_id)
      this.#options.onEnd(deployment_id)
    }
  }

  async #drainRuns(revision_id: string): Promise<void> {
    const { driver, drainMs, checkpointMs } = this.#options
    const limits = { graceMs: drainMs, checkpointMs }
    // One that does not answer any more keeps nobody waiting.
    const late = delay(drainMs + checkpointMs + UNANSWERED_MS, undefined, { ref: false })
    const due = await Promise.race([driver.drain(revision_id, limits), late])
    const deployment_id = this.#started.get(revision_id)
    if (due !== undefined && deployment_id) await this.#options.onDue(deployment_id, due)
  }

  async #end(revision_id: string): Promise<void> {
    await this.#options.driver.stop(revision_id, this.#options.stopGraceMs)
    this.#started.delete(revision_id)
  }
}
