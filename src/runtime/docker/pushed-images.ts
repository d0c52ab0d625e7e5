/** Images that were built here and go to the operator's registry, from which other engines and clusters pull them. */
import { BuildError } from '../../core/deployment/builds/build.ts'
import type { ImagePush } from '../../core/deployment/builds/project-commands.ts'
import { explain, isAway, whenThere } from './engine.ts'
import type { ImageGround } from './image-build.ts'
import { followProgress } from './progress.ts'
import { pulledImage } from './pulled-images.ts'

/** Docker and podman print it when the push is complete. Podman itself knows the image by another digest. */
const DIGEST = /\bdigest: (sha256:[0-9a-f]{64})\b/

/**
 * As `BuildContainers.pushImage`. Afterwards the engine knows the image by that name, so that it starts here without
 * the registry, and is removed with the revision.
 */
export async function pushImage(ground: ImageGround, order: ImagePush): Promise<string> {
  const { engine, installation, pullMs } = ground
  const { to, login, revision_id, signal, say } = order
  const push = async () => {
    const image_uri = `${to.repository}@${await pushOnce(ground, order)}`
    await pulledImage(engine, image_uri, { login, pullMs, installation, revision_id, signal })
    return image_uri
  }
  try {
    return await whenThere(engine, push, { signal, onAway: say })
  } catch (error) {
    signal.throwIfAborted()
    throw new BuildError('image', `${withoutPassword(explain(error), order)} ${WHAT_TO_DO}`)
  }
}

const WHAT_TO_DO =
  'The operator looks whether RUNYARD_REGISTRY_USER may push to RUNYARD_REGISTRY_URL with its password, and ' +
  'whether the container engine reaches that registry and trusts it.'

/** Returns the image's digest in the registry. */
async function pushOnce(
  { engine }: ImageGround,
  { image, to, login, signal, limitMs }: ImagePush,
): Promise<string> {
  const name = `${to.repository}:${to.tag}`
  const limit = AbortSignal.timeout(limitMs)
  const abortSignal = AbortSignal.any([signal, limit])
  // Docker wants a login even if there is none.
  const authconfig = { ...login, serveraddress: registryOf(to.repository) }
  let digest: string | undefined
  const onStatus = (status: string) => {
    digest = DIGEST.exec(status)?.[1] ?? digest
  }
  await engine.docker.getImage(image).tag({ repo: to.repository, tag: to.tag })
  try {
    const options = { authconfig, abortSignal }
    const progress = await engine.patient.getImage(name).push(options, undefined)
    await followProgress(progress, { signal: abortSignal, onStatus })
  } catch (error) {
    if (isAway(error)) throw error
    const why = limit.aborted
      ? `not within ${Math.round(limitMs / 1000)} s (RUNYARD_BUILD_TIMEOUT_SECS)`
      : explain(error)
    throw new Error(`The image could not be pushed to ${name}: ${sentence(why)}`)
  } finally {
    await untag()
  }
  if (digest === undefined) {
    throw new Error(`The container engine did not say by which digest ${name} was pushed.`)
  }
  return digest

  /** It is started by its digest: the name was for the push. */
  async function untag() {
    await engine.docker
      .getImage(name)
      .remove()
      .catch(() => {})
  }
}

function registryOf(repository: string): string {
  return repository.split('/')[0] ?? ''
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** Developers read these texts; engines and registries may repeat the password. */
function withoutPassword(text: string, { login }: ImagePush): string {
  return login?.password ? text.replaceAll(login.password, '…') : text
}
