/** The builds under way in this process. Successful builds are found on disk. */
import { type BuildRequest, HandedOver } from '../../core/deployment/builds/build.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { Revision } from '../../core/deployment/revision.ts'
import { sourceConfigOf } from '../../core/deployment/sources/config.ts'
import type { BuildState } from '../../core/rollout/revision-step.ts'
import { describeBuildFailure, statusMessage } from './failure.ts'
import type { ReconcilerParts } from './rollout-parts.ts'

interface RunningBuild {
  deployment_id: string
  abort: AbortController
  ended: Promise<void>
}

interface BuildsOptions extends Pick<ReconcilerParts, 'store' | 'builder' | 'log'> {
  maxBuilds: number
  /** Called when a build has ended, successful or not. */
  onEnd: () => void
}

export class Builds {
  readonly #options: BuildsOptions
  readonly #running = new Map<string, RunningBuild>()
  readonly #failures = new Map<string, string>()

  constructor(options: BuildsOptions) {
    this.#options = options
  }

  async state(revision: Pick<Revision, 'id' | 'built_from'>): Promise<BuildState> {
    if (this.#running.has(revision.id)) return { kind: 'running' }
    const reason = this.#failures.get(revision.id)
    if (reason !== undefined) return { kind: 'failed', reason }
    if (await this.find(revision)) return { kind: 'built' }
    return this.#hasRoom() ? { kind: 'absent' } : { kind: 'blocked' }
  }

  /** The revision's own build, or that of the revision it was made from; see `Builder.find`. */
  async find({ id, built_from }: Pick<Revision, 'id' | 'built_from'>) {
    const { builder } = this.#options
    return (await builder.find(id)) ?? (built_from === null ? undefined : builder.find(built_from))
  }

  /** Begins in the background; does nothing if the build is under way, or `maxBuilds` others are. */
  begin(revision: Revision): void {
    if (this.#running.has(revision.id) || !this.#hasRoom()) return
    const abort = new AbortController()
    const ended = this.#build(revision, abort.signal)
    this.#running.set(revision.id, { deployment_id: revision.deployment_id, abort, ended })
  }

  /** Forgets a failure: the next look may build again. */
  forget(revision_id: string): void {
    this.#failures.delete(revision_id)
  }

  /** The revisions of the deployment that are being built, except builds that are being aborted. */
  runningOf(deployment_id: string): string[] {
    return [...this.#running].flatMap(([revision_id, build]) =>
      build.deployment_id === deployment_id && !build.abort.signal.aborted ? [revision_id] : [],
    )
  }

  /** Aborts the build, if there is one; `onEnd` is called when it has ended. */
  end(revision_id: string): void {
    const build = this.#running.get(revision_id)
    if (build) end(build)
  }

  /** Aborts the deployment's builds, and waits until they have ended. */
  async abort(deployment_id: string): Promise<void> {
    const builds = [...this.#running.values()].filter(
      (build) => build.deployment_id === deployment_id,
    )
    for (const build of builds) end(build)
    await Promise.all(builds.map((build) => build.ended))
  }

  /** Lets go of all builds: those elsewhere go on, the others are aborted. Settles when that is done. */
  async handOver(): Promise<void> {
    const builds = [...this.#running.values()]
    for (const { abort } of builds) abort.abort(new HandedOver())
    await Promise.all(builds.map((build) => build.ended))
  }

  #hasRoom(): boolean {
    return this.#running.size < this.#options.maxBuilds
  }

  async #build(revision: Revision, signal: AbortSignal): Promise<void> {
    const { store, builder, log, onEnd } = this.#options
    const request = buildRequest(revision)
    const fields = { revision_id: request.revision_id }
    try {
      if (revision.built_from !== null) await store.revisions.setBuiltFrom(revision.id, revision.id)
      const deployment = await store.deployments.get(revision.deployment_id)
      await builder.build({ ...request, ...workspaceOf(deployment) }, signal)
      log.info(fields, 'build succeeded')
    } catch (error) {
      if (!signal.aborted) {
        const reason = statusMessage(describeBuildFailure(error), request.secrets)
        log.warn({ ...fields, reason }, 'the build has failed')
        this.#failures.set(request.revision_id, reason)
      }
    } finally {
      this.#running.delete(request.revision_id)
      onEnd()
    }
  }
}

function end(build: RunningBuild): void {
  build.abort.abort(new Error('The build was ended.'))
}

function workspaceOf(deployment: Deployment | undefined): Pick<BuildRequest, 'workspace_id'> {
  return deployment ? { workspace_id: deployment.tenant_id } : {}
}

function buildRequest(revision: Revision): BuildRequest {
  const { id, deployment_id, source, source_revision_config, secrets } = revision
  const source_config = sourceConfigOf(revision)
  return { revision_id: id, deployment_id, source, source_config, source_revision_config, secrets }
}
