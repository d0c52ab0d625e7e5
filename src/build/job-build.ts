/**
 * A build as a Job of a cluster. Git, uploads and their keys stay here. Steps that may run the project's code run in
 * the Job: installing, building, bundling.
 */
import { rm } from 'node:fs/promises'
import {
  BuildError,
  type BuildRequest,
  type BuiltRevision,
  HandedOver,
} from '../core/deployment/builds/build.ts'
import type { EndedJob, PreparedBuild } from '../core/deployment/builds/job.ts'
import { projectSecrets } from '../core/deployment/deploy-key.ts'
import type { BuilderOptions, Elsewhere } from './options.ts'
import { fetchSource } from './sources/fetch.ts'
import type { StepContext } from './step.ts'

/** How long a Job may upload its result, in ms: longer than any Job lives. */
const UPLOAD_LIFETIME_MS = 24 * 3_600_000

interface JobProject {
  request: BuildRequest
  /** Where its source is fetched to before it is sent on; absolute. */
  source: string
  options: BuilderOptions
  elsewhere: Elsewhere
}

/**
 * Continues with the Job of an earlier control plane, if there is one. Resolves when the result is published. Throws as
 * `Builder.build`.
 */
export async function buildInJob(
  project: JobProject,
  context: StepContext,
): Promise<BuiltRevision> {
  const { request, elsewhere } = project
  const { revision_id } = request
  const { log, signal } = context
  try {
    let ended = await runJob(project, context)
    let built = await settle(project, ended, context)
    if (!built && ended.isFound) {
      // The Job was of an earlier build, whose result was removed since.
      await elsewhere.jobs.remove(revision_id)
      ended = await runJob(project, context)
      built = await settle(project, ended, context)
    }
    if (!built) throw new BuildError('upload', NOTHING_CAME, { logTail: log.tail() })
    log.line('Build succeeded.')
    await elsewhere.jobs.remove(revision_id)
    return built
  } catch (error) {
    if (!(signal.reason instanceof HandedOver)) await elsewhere.jobs.remove(revision_id)
    throw error
  }
}

const NOTHING_CAME = 'The Job says that all was built, and has brought nothing.'

function runJob(project: JobProject, context: StepContext): Promise<EndedJob> {
  const { request, elsewhere } = project
  const { revision_id, deployment_id, workspace_id } = request
  return elsewhere.jobs.run({
    ...{ revision_id, deployment_id, workspace_id, signal: context.signal },
    onLine: (line) => context.log.line(line),
    prepare: () => prepare(project, context),
  })
}

/** Removes what an earlier try left, so that it is not taken for this build's result. */
async function prepare(
  { request, source, options, elsewhere: { artifacts } }: JobProject,
  context: StepContext,
): Promise<PreparedBuild> {
  const { revision_id, secrets } = request
  const { signal } = context
  await artifacts.remove(revision_id)
  const { dir, tarballs, downloads } = options
  const place = { dir, tarballs, into: source, downloads }
  const repo_commit_sha = (await fetchSource(request, place, context))?.id ?? null
  const lent = await artifacts.lend(revision_id, source, signal)
  await rm(source, { recursive: true, force: true })
  const uploadUrl = await artifacts.uploadUrl(revision_id, UPLOAD_LIFETIME_MS)
  // The Job gets neither the repository's URL, which may hold a password, nor its key.
  const source_config = { ...request.source_config, repo_url: null }
  const told = { ...request, source_config, secrets: projectSecrets(secrets) }
  return { task: { request: told, source: lent, uploadUrl }, repo_commit_sha }
}

/** `undefined`: the Job reports success, but its result is missing. */
async function settle(
  { request, elsewhere: { artifacts } }: JobProject,
  { end, repo_commit_sha }: EndedJob,
  { log }: StepContext,
): Promise<BuiltRevision | undefined> {
  if (end.kind === 'failed') {
    throw new BuildError(end.step, end.message, { logTail: log.tail() })
  }
  const artifact = { kind: 'folder', id: request.revision_id, ...end.made } as const
  const packed = await artifacts.settle({ artifact, digest: end.digest, repo_commit_sha })
  return packed && { artifact, repo_commit_sha }
}
