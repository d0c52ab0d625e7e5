/** Fetches one commit of a git repository. */
import { mkdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BuildError } from '../../core/deployment/builds/build.ts'
import { checkRepoRef, checkRepoUrl } from '../../core/deployment/sources/repo-url.ts'
import type { Commit } from '../../core/deployment/sources/snapshot.ts'
import { AppError } from '../../core/errors.ts'
import type { StepContext } from '../step.ts'
import {
  createGit,
  type Git,
  gitEnvironment,
  type SshAccess,
  splitCredentials,
} from './git-command.ts'
import { fetchLargeFiles, findLfsPointers, type LfsDownloads } from './lfs.ts'
import { readModules, readSubmodules, type Submodule, submoduleUrl } from './submodules.ts'

interface RepositoryRequest {
  repo_url: string
  /** A branch, `refs/tags/x`, a tag, a full or short commit id; `null`: the default branch. */
  repo_ref: string | null
  isFileUrlAllowed: boolean
  ssh: SshAccess
  /** Absent: large files are not fetched. */
  downloads?: LfsDownloads
}

const FULL_COMMIT_ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/
const COMMIT_ID = /^[0-9a-f]{7,64}$/

/** How deep submodules of submodules are followed. */
const MAX_DEPTH = 8

/**
 * Puts the files of one commit into the new folder `into` and returns the commit. The history is not kept.
 * Submodules and large files (LFS) are fetched from the server of the repository, with its scheme and its key; the log
 * names those that are not. Git reads no configuration of the machine or its user, runs no hooks, asks for nothing, and
 * speaks only https, ssh, git and, where allowed, file.
 *
 * Throws `BuildError('fetch')` naming the URL (without credentials) and the ref.
 */
export async function fetchRepository(
  request: RepositoryRequest,
  into: string,
  context: StepContext,
): Promise<Commit> {
  checkRequest(request)
  const repository = splitCredentials(request.repo_url)
  await mkdir(into, { recursive: true })
  const git = createGit(into, gitEnvironment(repository, request, context), context)
  const id = await fetchRef(git, repository.url, request.repo_ref, context)
  const commit = await describeCommit(git, id)
  await checkOut(git, { request, into, commit: id, depth: 0 }, context)
  return commit
}

/** A commit may be written in any encoding, and have any author: both are shown as one line. */
async function describeCommit(git: Git, id: string): Promise<Commit> {
  const shown = await git.answer(['log', '-1', '--format=%an%n%s', id], 'log')
  const [author = '', subject = ''] = shown.split('\n')
  return { id, author: author.slice(0, MAX_SHOWN), subject: subject.slice(0, MAX_SHOWN) }
}

/** How much of an author's name and of a subject is kept, in characters. */
const MAX_SHOWN = 500

interface Checkout {
  request: RepositoryRequest
  into: string
  /** Fetched already. */
  commit: string
  /** How many repositories this one is a submodule of. */
  depth: number
}

async function checkOut(git: Git, checkout: Checkout, context: StepContext): Promise<void> {
  const { request, into, commit } = checkout
  await git.run(['checkout', '--quiet', '--force', '--detach', commit], `checkout ${commit}`)
  context.log.line(`Fetched ${splitCredentials(request.repo_url).url} at commit ${commit}.`)
  await bringLargeFiles(git, checkout, context)
  for (const submodule of await submodulesOf(git, commit)) {
    await fetchSubmodule(submodule, checkout, context)
  }
  await rm(join(into, '.git'), { recursive: true, force: true })
}

async function submodulesOf(git: Git, commit: string): Promise<Submodule[]> {
  const list = ['ls-tree', '-z', commit, '--']
  if ((await git.answer([...list, '.gitmodules'], 'ls-tree')) === '') return []
  const config = ['config', '--blob', `${commit}:.gitmodules`, '--null', '--list']
  const modules = readModules(await git.answer(config, 'config --blob .gitmodules'))
  if (modules.size === 0) return []
  return readSubmodules(modules, await git.answer([...list, ...modules.keys()], 'ls-tree'))
}

/** Exactly the commit that the repository names, whatever branches there are. Throws `BuildError('fetch')`. */
async function fetchSubmodule(
  { path, commit, url, isLeftOut }: Submodule,
  { request, into, depth }: Checkout,
  context: StepContext,
): Promise<void> {
  const leave = (why: string) =>
    context.log.line(
      `Warning: the submodule ${path} is not fetched, and its folder is empty: ${why}.`,
    )
  if (isLeftOut) return leave('.gitmodules says update = none')
  if (url === undefined) return leave('.gitmodules names no url for it')
  const repo_url = submoduleUrl(request.repo_url, url)
  if (repo_url === undefined) {
    const shown = splitCredentials(url).url
    return leave(
      `${shown} has another host or scheme than the repository, whose key is not sent there`,
    )
  }
  if (depth >= MAX_DEPTH) return leave(`it is nested more than ${MAX_DEPTH} deep`)
  const folder = join(into, path)
  const own = { ...request, repo_url: withLogin(repo_url, request.repo_url), repo_ref: commit }
  try {
    checkRequest(own)
    await requireOwnFolder(into, folder, path)
    const repository = splitCredentials(own.repo_url)
    const git = createGit(folder, gitEnvironment(repository, own, context), context)
    await git.run(['init', '--quiet', '--template='], 'init')
    if ((await fetchCommit(git, commit, context)) !== commit) {
      throw new BuildError('fetch', `${repository.url} has no commit ${commit}.`)
    }
    await checkOut(git, { request: own, into: folder, commit, depth: depth + 1 }, context)
  } catch (error) {
    if (!(error instanceof BuildError)) throw error
    const hint = 'update = none in .gitmodules leaves it out'
    throw new BuildError('fetch', `The submodule ${path}: ${error.message} (${hint}.)`, {
      cause: error,
      logTail: error.logTail,
    })
  }
}

/** The folder of the checkout must not lie behind a link. */
async function requireOwnFolder(into: string, folder: string, path: string): Promise<void> {
  const [top, real] = await Promise.all([realpath(into), realpath(folder)])
  if (real !== join(top, path)) throw new BuildError('fetch', 'its folder lies behind a link.')
}

/** Adds the repository's login for the same server. */
function withLogin(url: string, repository: string): string {
  if (!URL.canParse(url) || !URL.canParse(repository)) return url
  const own = new URL(url)
  if (own.protocol !== 'https:') return url
  const { username, password } = new URL(repository)
  return Object.assign(own, { username, password }).href
}

const SHOWN_FILES = 20

/** A file that cannot be fetched stays a pointer: the project may not need it. */
async function bringLargeFiles(
  git: Git,
  { request, into }: Checkout,
  { log, limits, signal }: StepContext,
): Promise<void> {
  const entries = await git.answer(['ls-tree', '-r', '-l', '-z', '--full-tree', 'HEAD'], 'ls-tree')
  const pointers = await findLfsPointers(into, entries)
  if (pointers.length === 0) return
  const { downloads } = request
  const repository = splitCredentials(request.repo_url)
  const place = { repository, folder: into, maxBytes: limits.maxUnpackedBytes, signal }
  const left = downloads
    ? await fetchLargeFiles(pointers, { ...place, downloads })
    : pointers.map((pointer) => ({ pointer, why: 'it is not fetched here' }))
  const fetched = pointers.length - left.length
  if (fetched > 0) log.line(`Fetched ${fetched} files that Git LFS keeps.`)
  for (const { pointer, why } of left.slice(0, SHOWN_FILES)) {
    log.line(`Warning: ${pointer.path} is only a pointer to a file that Git LFS keeps: ${why}.`)
  }
  if (left.length > SHOWN_FILES) log.line(`The same of ${left.length - SHOWN_FILES} more files.`)
}

/** Checks the URL again: git must never get one that was checked elsewhere only. */
function checkRequest({ repo_url, repo_ref, isFileUrlAllowed }: RepositoryRequest): void {
  try {
    checkRepoUrl(repo_url, isFileUrlAllowed)
    if (repo_ref !== null) checkRepoRef(repo_ref)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new BuildError('fetch', error.message, { cause: error })
  }
}

/** Fetches the commit that the ref names, and returns its id. */
async function fetchRef(
  git: Git,
  url: string,
  ref: string | null,
  context: StepContext,
): Promise<string> {
  await git.run(['init', '--quiet', '--template='], 'init')
  const remoteRef = await findRemoteRef(git, url, ref)
  if (remoteRef) return fetchShallow(git, remoteRef)
  const commit = ref === null ? undefined : await fetchCommit(git, ref, context)
  if (commit) return commit
  const name = ref === null ? 'a default branch' : `the branch, tag or commit ${ref}`
  throw new BuildError('fetch', `${url} has no such thing as ${name}.`, {
    logTail: context.log.tail(),
  })
}

/** Fetches a commit by its full or short id; `undefined`: the repository has none such. */
async function fetchCommit(
  git: Git,
  id: string,
  context: StepContext,
): Promise<string | undefined> {
  if (FULL_COMMIT_ID.test(id)) {
    const commit = await fetchShallow(git, id).catch((error: unknown) => {
      if (!(error instanceof BuildError)) throw error
      context.log.line('The server does not hand out single commits: fetching the history.')
      return undefined
    })
    if (commit) return commit
  }
  return COMMIT_ID.test(id) ? findInHistory(git, id) : undefined
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
