/** Fetches one commit of a git repository. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BuildError } from '../../core/deployment/builds/build.ts'
import type { CommandEnd } from '../../core/deployment/builds/project-commands.ts'
import { checkRepoRef } from '../../core/deployment/sources/repo-ref.ts'
import { checkRepoUrl } from '../../core/deployment/sources/repo-url.ts'
import { AppError } from '../../core/errors.ts'
import { runCommand } from '../command.ts'
import { reasonOf, type StepContext } from '../step.ts'
import { type RepositoryUrl, splitCredentials } from './repository-url.ts'
import { type SshAccess, sshEnvironment } from './ssh-access.ts'

interface RepositoryRequest {
  repo_url: string
  /** A branch, `refs/tags/x`, a tag, a full or short commit id; `null`: the default branch. */
  repo_ref: string | null
  isFileUrlAllowed: boolean
  ssh: SshAccess
}

const FULL_COMMIT_ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/
const COMMIT_ID = /^[0-9a-f]{7,64}$/

/** git's answer to `get` of the credential protocol, without the values on a command line. */
const CREDENTIAL_HELPER =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" ' +
  '"$BUILD_GIT_USERNAME" "$BUILD_GIT_PASSWORD"; }; f'

/**
 * Puts the files of one commit into the new folder `into` and answers the commit's id. The history
 * is not kept; submodules are not fetched (their folders are empty), nor large files (LFS). Git reads no configuration
 * of the machine or its user, runs no hooks, asks for nothing, and speaks only https, ssh, git and,
 * where allowed, file.
 *
 * Throws `BuildError('fetch')` naming the URL (without credentials) and the ref.
 */
export async function fetchRepository(
  request: RepositoryRequest,
  into: string,
  context: StepContext,
): Promise<string> {
  checkRequest(request)
  const repository = splitCredentials(request.repo_url)
  await mkdir(into, { recursive: true })
  const git = createGit(into, gitEnvironment(repository, request, context), context)
  const commit = await fetchRef(git, repository.url, request.repo_ref, context)
  await git.run(['checkout', '--quiet', '--force', '--detach', commit], `checkout ${commit}`)
  await rm(join(into, '.git'), { recursive: true, force: true })
  context.log.line(`Fetched ${repository.url} at commit ${commit}.`)
  return commit
}

/** Checks the URL again: git must never get one that only another part of the code has checked. */
function checkRequest({ repo_url, repo_ref, isFileUrlAllowed }: RepositoryRequest): void {
  try {
    checkRepoUrl(repo_url, isFileUrlAllowed)
    if (repo_ref !== null) checkRepoRef(repo_ref)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new BuildError('fetch', error.message, { cause: error })
  }
}

/** Answers the id of the commit that the ref names, which is fetched then. */
async function fetchRef(
  git: Git,
  url: string,
  ref: string | null,
  context: StepContext,
): Promise<string> {
  await git.run(['init', '--quiet', '--template='], 'init')
  const remoteRef = await findRemoteRef(git, url, ref)
  if (remoteRef) return fetchShallow(git, remoteRef)
  if (ref !== null && FULL_COMMIT_ID.test(ref)) {
    const commit = await fetchShallow(git, ref).catch((error: unknown) => {
      if (!(error instanceof BuildError)) throw error
      context.log.line('The server does not hand out single commits: fetching the history.')
      return undefined
    })
    if (commit) return commit
  }
  const commit = ref !== null && COMMIT_ID.test(ref) ? await findInHistory(git, ref) : undefined
  if (commit) return commit
  const name = ref === null ? 'a default branch' : `the branch, tag or commit ${ref}`
  throw new BuildError('fetch', `${url} has no such thing as ${name}.`, {
    logTail: context.log.tail(),
  })
}

/** The full name of a branch or a tag; `undefined` when the repository has neither. */
async function findRemoteRef(
  git: Git,
  url: string,
  ref: string | null,
): Promise<string | undefined> {
  const wanted = ref === null ? ['HEAD'] : [`refs/heads/${ref}`, ref, `refs/tags/${ref}`]
  const listing = await git.answer(['ls-remote', 'origin', ...wanted], `ls-remote ${url}`)
  const names = new Set(listing.split('\n').map((line) => line.split('\t')[1]))
  return wanted.find((name) => names.has(name))
}

async function fetchShallow(git: Git, what: string): Promise<string> {
  await git.run([...FETCH, '--depth=1', 'origin', what], `fetch ${what}`)
  return commitOf(git, 'FETCH_HEAD')
}

const FETCH = ['fetch', '--no-tags', '--no-recurse-submodules', '--no-write-commit-graph']

/** Looks for a commit among all branches and tags: short ids, and servers that give no others. */
async function findInHistory(git: Git, commit: string): Promise<string | undefined> {
  const everything = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*']
  await git.run([...FETCH, 'origin', ...everything], 'fetch of the whole history')
  return commitOf(git, commit).catch((error: unknown) => {
    if (error instanceof BuildError) return undefined
    throw error
  })
}

async function commitOf(git: Git, name: string): Promise<string> {
  const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${name}^{commit}`]
  // `--end-of-options` is echoed as a line of its own by some versions.
  return (await git.answer(args, `rev-parse ${name}`)).trim().split('\n').at(-1) ?? ''
}

interface Git {
  run(args: string[], title: string): Promise<void>
  /** Answers the standard output, which does not go to the log. */
  answer(args: string[], title: string): Promise<string>
}

function createGit(cwd: string, env: Record<string, string>, context: StepContext): Git {
  const execute = async (args: string[], title: string, isCaptured: boolean) => {
    const end = await runCommand(['git', ...args], {
      cwd,
      env,
      signal: context.signal,
      limitMs: context.limits.fetchMs,
      maxMemoryBytes: context.limits.maxMemoryBytes,
      onLine: (line) => context.log.line(line),
      isCaptured,
    })
    refuseFailure(end, title, context)
    return end.stdout
  }
  return {
    run: async (args, title) => {
      await execute(args, title, false)
    },
    answer: (args, title) => execute(args, title, true),
  }
}

/** The lines that say why git failed. Those of ssh come first, since they say more than git's own. */
const REASON =
  /^(error|remote):|^fatal: (?!Could not read from remote)|Permission denied|verification failed/

function refuseFailure(end: CommandEnd, title: string, context: StepContext): void {
  const reason = reasonOf(end, context.limits.fetchMs, context.limits)
  if (!reason) return
  const logTail = context.log.tail()
  const said = logTail.findLast((line) => REASON.test(line))
  const why = said ? `: ${said}` : ''
  throw new BuildError('fetch', `git ${title} ${reason}${why}`, { logTail })
}

function gitEnvironment(
  repository: RepositoryUrl,
  { isFileUrlAllowed, ssh }: RepositoryRequest,
  context: StepContext,
): Record<string, string> {
  const config: [string, string][] = [
    // The URL comes by the environment, so that git cannot take it for an option.
    ['remote.origin.url', repository.url],
    ['core.hooksPath', '/dev/null'],
    ['core.attributesFile', '/dev/null'],
    ['advice.detachedHead', 'false'],
    ['credential.helper', ''],
    ['gc.auto', '0'],
  ]
  if (repository.credentials) {
    config.push([`credential.${new URL(repository.url).origin}.helper`, CREDENTIAL_HELPER])
  }
  return {
    ...context.env,
    ...configVariables(config),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    ...sshEnvironment(ssh),
    GIT_ALLOW_PROTOCOL: isFileUrlAllowed ? 'https:ssh:git:file' : 'https:ssh:git',
    BUILD_GIT_USERNAME: repository.credentials?.username ?? '',
    BUILD_GIT_PASSWORD: repository.credentials?.password ?? '',
  }
}

function configVariables(config: [string, string][]): Record<string, string> {
  const entries = config.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ])
  return { ...Object.fromEntries(entries), GIT_CONFIG_COUNT: String(config.length) }
}
