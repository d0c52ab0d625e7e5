/**
 * A build as a Job of a cluster. Git, uploads and their keys stay here; what a project's own code can have a part in
 * runs there: installing, building, bundling.
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
import { fetchSource } from './sources/table.ts'
import type { StepContext } from './step.ts'

/** How long a Job may bring what it has built, in ms: longer than any of them lives. */
const UPLOAD_LIFETIME_MS = 24 * 3_600_000

interface JobProject {
  request: BuildRequest
  /** Where its source is fetched to, to be sent on; absolute. */
  source: string
  options: BuilderOptions
  elsewhere: Elsewhere
}

/**
 * Goes on with the Job that an earlier control plane has begun, where there is one. Throws as `Builder.build`; what
 * was built is published then.
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
      // It was of an earlier build, which was removed since.
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

/** Nothing that an earlier try has left is taken for what this one builds. */
async function prepare(
  { request, source, options, elsewhere: { artifacts } }: JobProject,
  context: StepContext,
): Promise<PreparedBuild> {
  const { revision_id, secrets } = request
  const { signal } = context
  await artifacts.remove(revision_id)
  const { dir, tarballs, downloads } = options
  const place = { dir, tarballs, into: source, downloads }
  const repo_commit_sha = await fetchSource(request, place, context)
  const lent = await artifacts.lend(revision_id, source, signal)
  await rm(source, { recursive: true, force: true })
  const uploadUrl = await artifacts.uploadUrl(revision_id, UPLOAD_LIFETIME_MS)
  // An address may hold a password, and the key of a repository is no variable of the project.
  const source_config = { ...request.source_config, repo_url: null }
  const told = { ...request, source_config, secrets: projectSecrets(secrets) }
  return { task: { request: told, source: lent, uploadUrl }, repo_commit_sha }
}

/** `undefined`: it says that it is built, and nothing of it is here. */
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
