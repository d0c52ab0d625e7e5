/** Finds the image of a revision: builds nothing, but pins the tag to a digest. */
import { withRetries } from '../../artifacts/transfer.ts'
import { type ImageArtifact, LINK_LABEL } from '../../core/deployment/artifacts/artifact.ts'
import { BuildError, type BuildRequest } from '../../core/deployment/builds/build.ts'
import { notAnImage, parseImage, pinned } from '../../core/deployment/images/image.ts'
import {
  type ImageRegistry,
  type OwnRegistry,
  pullLogin,
} from '../../core/deployment/images/registry.ts'
import { AppError } from '../../core/errors.ts'
import type { StepContext } from '../step.ts'

export interface ImageSources {
  registry: ImageRegistry
  /** The operator's, where one is named. */
  own: OwnRegistry | undefined
}

/** How often a registry that does not answer is asked: for seven seconds. */
const ATTEMPTS = 4

/**
 * Returns the image with its digest, and whether it speaks the link: the digest found when the revision was first
 * built, or else the tag's current one. `field`: the field that names the image, for refusals. Throws `BuildError`.
 */
export async function findImage(
  { source_revision_config, deployment_id, secrets }: BuildRequest,
  { registry, own }: ImageSources,
  context: StepContext,
  field = 'source_revision_config.image_uri',
): Promise<ImageArtifact> {
  const { image_uri, image_digest } = source_revision_config
  const written = parseImage(image_uri ?? '')
  if (!written) throw new BuildError('fetch', `${field} ${notAnImage(image_uri ?? '')}`)
  const image = { ...written, digest: image_digest ?? written.digest }
  const login = pullLogin(image, { own, deployment_id, secrets })
  const who = login ? ` as ${login.username}` : ''
  context.log.line(`Asking ${image.registry}${who} for ${image_uri}.`)
  const asked = { login, signal: context.signal }
  const tools = { signal: context.signal, say: (line: string) => context.log.line(line) }
  const digest = await naming(field, () =>
    withRetries(ATTEMPTS, tools, () => registry.digestOf(image, asked)),
  )
  context.log.line(`It is ${digest}.`)
  const artifact = { kind: 'image', image_uri: pinned(image, digest) } as const
  const exact = { ...image, digest }
  const labels = () => withRetries(ATTEMPTS, tools, () => registry.labelsOf(exact, asked))
  const isLinked = await hasLink(labels, context)
  return isLinked ? { ...artifact, is_linked: true } : artifact
}

/** Names the image's field in front of a refusal by a registry, or by Runyard in its place. */
export async function naming<T>(field: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new BuildError('fetch', `${field}: ${error.message}`, { cause: error })
  }
}

/** An image whose labels cannot be read counts as not Runyard's: it may still be pulled. */
async function hasLink(
  labels: () => Promise<Record<string, string>>,
  context: StepContext,
): Promise<boolean> {
  try {
    return LINK_LABEL in (await labels())
  } catch (error) {
    context.signal.throwIfAborted()
    const why = error instanceof Error ? error.message : String(error)
    context.log.line(`Its labels cannot be read: ${why}`)
    return false
  }
}
