/** Builds a project's own image if its `langgraph.json` asks for one and containers run it. */
import { dirname } from 'node:path'
import type { FolderArtifact } from '../core/deployment/artifacts/artifact.ts'
import { BuildError, type BuildRequest } from '../core/deployment/builds/build.ts'
import type { ImageOrder } from '../core/deployment/builds/project-commands.ts'
import { HAS_TRIGGERS, notAnImage, parseImage } from '../core/deployment/images/image.ts'
import { builtRepositoryOf, pullLogin } from '../core/deployment/images/registry.ts'
import type { FoundConfiguration } from './configuration.ts'
import { readLines, writeDockerfile } from './dockerfile.ts'
import type { BuilderOptions } from './options.ts'
import { findImage, naming } from './sources/image.ts'
import type { StepContext } from './step.ts'

const FIELD = 'langgraph.json: "base_image"'
/** These contain the server that Runyard replaces. */
const OFFICIAL = /^(docker\.io\/)?langchain\/langgraph/

/**
 * Returns the id of the built image; `undefined`: the project runs in Runyard's own, or without one. Throws
 * `BuildError`.
 */
export async function buildProjectImage(
  { image, configPath }: Pick<FoundConfiguration, 'image' | 'configPath'>,
  { request, options }: { request: BuildRequest; options: BuilderOptions },
  context: StepContext,
): Promise<string | undefined> {
  if (!image) return undefined
  const { containers, imageRefusal } = options
  const isOfficial = OFFICIAL.test(image.base_image ?? '')
  const isOwn = isOfficial || (image.base_image ?? containers?.ownImage) === containers?.ownImage
  if (isOwn && image.dockerfile_lines.length === 0) {
    if (isOfficial) context.log.line(replaced(image.base_image))
    return undefined
  }
  if (!containers) {
    if (imageRefusal !== undefined) throw new BuildError('configuration', imageRefusal)
    for (const note of image.notes) context.log.line(note)
    return undefined
  }
  const lines = readLines(image.dockerfile_lines)
  if (isOfficial) context.log.line(replaced(image.base_image))
  const base = isOwn
    ? undefined
    : await findBase(image.base_image ?? '', { request, options }, context)
  const { revision_id, deployment_id } = request
  const { signal, limits, log } = context
  log.line('Building the image that the project runs in.')
  return containers.buildImage({
    ...{ revision_id, deployment_id, signal, say: (line: string) => log.line(line) },
    ...(base && { base }),
    dockerfile: (from, preparation) => writeDockerfile(from, preparation, lines),
    context: dirname(configPath),
    limitMs: limits.installMs,
    maxMemoryBytes: limits.maxMemoryBytes,
  })
}

/**
 * Pushes the image to the operator's registry, if there is one, and returns the artifact's image fields. Throws
 * `BuildError`.
 */
export async function publishImage(
  image: string | undefined,
  { request, options }: { request: BuildRequest; options: BuilderOptions },
  { signal, limits, log }: StepContext,
): Promise<Pick<FolderArtifact, 'image' | 'image_uri'>> {
  const { containers, images } = options
  if (image === undefined || !containers) return {}
  if (!images?.own) return { image }
  const { revision_id, deployment_id } = request
  const to = { repository: builtRepositoryOf(images.own, deployment_id), tag: revision_id }
  log.line(`Pushing the image to ${to.repository}.`)
  const image_uri = await containers.pushImage({
    ...{ revision_id, deployment_id, signal, say: (line: string) => log.line(line) },
    ...{ image, to, login: images.own.login, limitMs: limits.installMs },
  })
  log.line(`It is ${image_uri}.`)
  return { image_uri }
}

/** Uses the digest in its registry: the engine's image of that name may be another one. */
async function findBase(
  image_uri: string,
  { request, options }: { request: BuildRequest; options: BuilderOptions },
  context: StepContext,
): Promise<ImageOrder['base']> {
  const written = parseImage(image_uri)
  if (!written) throw new BuildError('configuration', `${FIELD} ${notAnImage(image_uri)}`)
  if (!options.images) {
    throw new BuildError('configuration', `${FIELD}: ${image_uri}: no registry can be asked here.`)
  }
  const source_revision_config = {
    ...request.source_revision_config,
    ...{ image_uri, image_digest: null },
  }
  const { image_uri: pinned } = await findImage(
    { ...request, source_revision_config },
    options.images,
    context,
    FIELD,
  )
  const { deployment_id, secrets } = request
  const login = pullLogin(written, { own: options.images.own, deployment_id, secrets })
  const exact = parseImage(pinned)
  const { registry } = options.images
  const asked = { login, signal: context.signal }
  // They would run unchecked, with access to the engine's other images.
  if (!exact || (await naming(FIELD, () => registry.hasTriggers(exact, asked)))) {
    throw new BuildError('configuration', HAS_TRIGGERS)
  }
  return { image_uri: pinned, login }
}

function replaced(base_image: string | undefined): string {
  return `${FIELD}: in place of ${base_image} stands Runyard's own image.`
}
