/** The builder: turns a revision's source into what its agent servers run. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { timestamp } from '../core/clock.ts'
import {
  BuildError,
  type Builder,
  type BuildRequest,
  type BuiltRevision,
  HandedOver,
} from '../core/deployment/builds/build.ts'
import { AppError } from '../core/errors.ts'
import { buildEnvironment } from './build-environment.ts'
import { type BuildLog, openBuildLog } from './build-log.ts'
import { findBuilt, writeBuilt } from './built-record.ts'
import { removeInstalls } from './install-cache.ts'
import { buildInJob } from './job-build.ts'
import { homeFolder, revisionFolder, revisionsFolder } from './layout.ts'
import type { BuilderOptions } from './options.ts'
import { buildProject } from './project-build.ts'
import { fetchSource, isImageSource } from './sources/fetch.ts'
import { findImage } from './sources/image.ts'
import { DEFAULT_LIMITS, type StepContext } from './step.ts'

export function createBuilder(options: BuilderOptions): Builder {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const env = buildEnvironment(options)
  const endLaterWork = async (revision_id: string) => {
    await options.bundler?.schemas?.work.end(revision_id)
  }
  return {
    async build(request, signal) {
      const folder = revisionFolder(options.dir, request.revision_id)
      signal.throwIfAborted()
      await endLaterWork(request.revision_id)
      await rm(folder.root, { recursive: true, force: true })
      await mkdir(folder.root, { recursive: true, mode: 0o700 })
      const log = openBuildLog(folder.log, options.clock, options.log)
      try {
        return await buildInto(folder.source, request, options, { log, signal, limits, env })
      } catch (error) {
        await endLaterWork(request.revision_id)
        if (!signal.aborted) throw explained(error, log)
        const isHandedOver = signal.reason instanceof HandedOver
        log.line(isHandedOver ? HANDED_OVER : 'The build was ended before it was done.')
        throw signal.reason
      } finally {
        await log.close()
      }
    },
    async find(revision_id) {
      const { containers } = options
      const built = await findBuilt(options.dir, revision_id, { isElsewhere: !!containers })
      const image = built?.artifact.kind === 'folder' ? built.artifact.image : undefined
      return image === undefined || (await containers?.hasImage(image)) ? built : undefined
    },
    async list() {
      const ids = await readdir(revisionsFolder(options.dir)).catch(() => [])
      return ids.filter((id) => {
        const { source, built } = revisionFolder(options.dir, id)
        return existsSync(source) || existsSync(built)
      })
    },
    async prune(revision_id) {
      const folder = revisionFolder(options.dir, revision_id)
      await endLaterWork(revision_id)
      // The file that marks the build as done is removed first.
      await rm(folder.built, { force: true })
      await options.containers?.removeImages(revision_id)
      await rm(folder.source, { recursive: true, force: true })
    },
    async remove(revision_id) {
      await endLaterWork(revision_id)
      await options.containers?.removeImages(revision_id)
      await rm(revisionFolder(options.dir, revision_id).root, { recursive: true, force: true })
    },
    async removeKept(deployment_id) {
      await removeInstalls(options.dir, deployment_id)
      await rm(homeFolder(options.dir, deployment_id), { recursive: true, force: true })
    },
  }
}

const HANDED_OVER = 'This control plane ends or leads no longer: the next one goes on from here.'

async function buildInto(
  source: string,
  request: BuildRequest,
  options: BuilderOptions,
  context: StepContext,
): Promise<BuiltRevision> {
  const { dir, tarballs, clock, elsewhere, downloads } = options
  if (isImageSource(request)) return settleImage(request, options, context)
  if (elsewhere) return buildInJob({ request, source, options, elsewhere }, context)
  // Git gets none of the project's variables: they could change what it does.
  const place = { dir, tarballs, into: source, downloads }
  const repo_commit_sha = (await fetchSource(request, place, context))?.id ?? null
  const made = await buildProject({ request, source, options }, context)
  context.signal.throwIfAborted()
  context.log.line('Build succeeded.')
  const artifact = { kind: 'folder', id: request.revision_id, ...made } as const
  await writeBuilt(dir, request.revision_id, { artifact, repo_commit_sha }, timestamp(clock))
  return { artifact, repo_commit_sha }
}

/** Nothing is built for an image; only its name is recorded. */
async function settleImage(
  request: BuildRequest,
  { dir, clock, images }: BuilderOptions,
  context: StepContext,
): Promise<BuiltRevision> {
  if (!images)
    throw new BuildError(
      'fetch',
      `The source ${request.source} is an image: no registry can be asked here.`,
    )
  const artifact = await findImage(request, images, context)
  context.signal.throwIfAborted()
  const built = { artifact, repo_commit_sha: null }
  await writeBuilt(dir, request.revision_id, built, timestamp(clock))
  return built
}

/** Every refusal of a build names its step and shows the log's end. */
function explained(error: unknown, log: BuildLog): unknown {
  if (error instanceof BuildError) log.line(`The step ${error.step} failed: ${error.message}`)
  if (error instanceof AppError) return new BuildError('fetch', error.message, { cause: error })
  return error
}
