/** The part of a build that a Job does: from a fetched source to a folder that runs. */

import type { BuildRequest } from '../core/deployment/builds/build.ts'
import type { MadeFolder } from '../core/deployment/builds/job.ts'
import { buildEnvironment } from './build-environment.ts'
import { printedLog } from './build-log.ts'
import type { BuilderOptions } from './options.ts'
import { buildProject } from './project-build.ts'
import { DEFAULT_LIMITS } from './step.ts'

interface FetchedSource {
  request: BuildRequest
  /** Absolute; it is built in place. */
  source: string
  options: BuilderOptions
  signal: AbortSignal
  /** Receives each line of the log. */
  say(line: string): void
}

/** Throws `BuildError`. */
export function buildFetched(fetched: FetchedSource): Promise<MadeFolder> {
  const { request, source, options, signal, say } = fetched
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const context = { log: printedLog(say), signal, limits, env: buildEnvironment(options) }
  return buildProject({ request, source, options }, context)
}
