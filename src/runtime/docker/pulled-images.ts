/**
 * Images from registries. Those that Runyard has pulled have a tag of its own for each revision that needs them; the
 * last of these that is removed takes the image along.
 */
import type Docker from 'dockerode'
import type { RegistryLogin } from '../../core/deployment/images/pull-secret.ts'
import { AppError } from '../../core/errors.ts'
import { type Engine, explain, isAway, isMissing } from './engine.ts'
import { followProgress } from './progress.ts'

interface PullTerms {
  login: RegistryLogin | undefined
  /** How long it may take, in ms; `undefined`: 10 minutes. */
  pullMs: number | undefined
  installation: string
  revision_id: string
  signal?: AbortSignal
}

const DEFAULT_PULL_MS = 10 * 60_000

/** Returns the image, and pulls it if it is missing. Throws `bad_request` with a sentence. */
export async function pulledImage(
  engine: Engine,
  image_uri: string,
  terms: PullTerms,
): Promise<Docker.ImageInspectInfo> {
  const image = engine.docker.getImage(image_uri)
  const found = await image.inspect().catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
  if (!found) await pull(engine, image_uri, terms)
  const about = found ?? (await image.inspect())
  const isOurs = !found || (about.RepoTags ?? []).some((tag) => tag.startsWith(`${PREFIX}/`))
  if (isOurs) await image.tag({ repo: repositoryOf(terms), tag: terms.revision_id })
  return about
}

/** Removes the revision's tag, and the image if it has no other name. */
export async function removePulled(
  { docker }: Engine,
  owner: Pick<PullTerms, 'installation' | 'revision_id'>,
): Promise<void> {
  const tag = docker.getImage(`${repositoryOf(owner)}:${owner.revision_id}`)
  const about = await tag.inspect().catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
  if (!about) return
  const isLast = (about.RepoTags ?? []).length <= 1
  await tag.remove()
  if (!isLast) return
  // Its digest is a name as well. An image that a container still uses is left to the next removal.
  for (const name of about.RepoDigests ?? []) {
    await docker
      .getImage(name)
      .remove()
      .catch(() => {})
  }
}

async function pull(
  { patient }: Engine,
  image_uri: string,
  { login, pullMs = DEFAULT_PULL_MS, signal }: PullTerms,
): Promise<void> {
  const limit = AbortSignal.timeout(pullMs)
  const abortSignal = signal ? AbortSignal.any([signal, limit]) : limit
  const serveraddress = image_uri.split('/')[0]
  const authconfig = login && { username: login.username, password: login.password, serveraddress }
  try {
    const progress = await patient.pull(image_uri, {
      abortSignal,
      ...(authconfig && { authconfig }),
    })
    await followProgress(progress, { signal: abortSignal })
  } catch (error) {
    signal?.throwIfAborted()
    if (limit.aborted) {
      const why = `The image ${image_uri} was not pulled within ${Math.round(pullMs / 1000)} s`
      throw new AppError('bad_request', `${why} (RUNYARD_PULL_TIMEOUT_SECS).`)
    }
    if (isAway(error)) throw error
    const why = `The image ${image_uri} could not be pulled: ${explain(error)}`
    throw new AppError('bad_request', why)
  }
}

const PREFIX = 'localhost/runyard-pulled'

function repositoryOf({ installation }: Pick<PullTerms, 'installation'>): string {
  return `${PREFIX}/${installation}`
}
