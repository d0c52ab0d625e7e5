/**
 * Containers for the commands of builds: each command has one, of Runyard's image. It sees the project's source and
 * home, and of the operator only how packages are reached. Also pushes built images to the operator's registry, from
 * which other engines and clusters pull them.
 */
import { existsSync } from 'node:fs'
import type Docker from 'dockerode'
import { BuildError } from '../../core/deployment/builds/build.ts'
import { filesOf, isOfThisMachine } from '../../core/deployment/builds/job.ts'
import type {
  BuildContainers,
  ContainedBuild,
  ImagePush,
  ProjectCommands,
} from '../../core/deployment/builds/project-commands.ts'
import { type BuildPlace, runBuildCommand } from './build-command.ts'
import {
  type DockerSettings,
  type Engine,
  explain,
  isAway,
  isMissing,
  openEngine,
  whenThere,
} from './engine.ts'
import { removeLeftBuilds } from './found.ts'
import { buildImage, hasImage, type ImageGround, removeImages } from './image-build.ts'
import {
  BUILD,
  DEPLOYMENT,
  INSTALLATION,
  installationOf,
  REVISION,
  THIS_PROCESS,
} from './labels.ts'
import { removeNetwork } from './network.ts'
import { followProgress } from './progress.ts'
import { pulledImage } from './pulled-images.ts'
import { giveAllTo, userOf } from './user.ts'

interface BuildContainersOptions {
  docker: DockerSettings
  /** How many processors a command may use. */
  cpus: number
  /** The operator's environment for builds: the files that it names are mounted. */
  env: Readonly<Record<string, string>>
}

const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Sends the engine no request until the first build. */
export function createBuildContainers({
  docker,
  cpus,
  env,
}: BuildContainersOptions): BuildContainers {
  let opened: Engine | undefined
  let isSwept = false
  const ground = (): ImageGround => {
    opened ??= openEngine(docker)
    return { engine: opened, docker, installation: installationOf(docker.key), cpus }
  }
  return {
    ownImage: docker.image,
    buildImage: (order) => buildImage(ground(), order),
    pushImage: (push) => pushImage(ground(), push),
    removeImages: (revision_id) => removeImages(ground(), revision_id),
    hasImage: (id) => hasImage(ground(), id),
    async open(build) {
      const { engine, installation } = ground()
      if (!engine.isLocal) {
        throw new BuildError(
          'container',
          `The container engine at ${engine.address} is on another machine, where folders of this one cannot be mounted: deploy an image.`,
        )
      }
      const image = build.image ?? docker.image
      const about = await imageThere(engine, image, build)
      const { deployment_id, revision_id } = build
      const owner = { installation, deployment_id, shared: docker.network }
      // Under a driver other than docker, nothing else removes them.
      const sweep = () => removeLeftBuilds(engine, installation)
      if (!isSwept) await whenThere(engine, sweep, { signal: build.signal, onAway: build.say })
      isSwept = true
      const labels = {
        [INSTALLATION]: installation,
        [DEPLOYMENT]: deployment_id,
        [REVISION]: revision_id,
        [BUILD]: THIS_PROCESS,
      }
      const user = userOf(docker)
      const files = Object.entries(env).flatMap(([name, value]) => filesOf(name, value))
      const place = { engine, image, owner, labels, user, cpus, files }
      return commandsOf(place, pathOf(about))
    },
  }
}

function commandsOf(place: BuildPlace, path: string): ProjectCommands {
  const { engine, user, owner } = place
  return {
    // Files that they make are not linked from one build to the next.
    hasOwnUser: true,
    handOver: (folder) => giveAllTo(folder, user),
    environment(env) {
      const kept = Object.entries(env)
        .filter(([name]) => !isOfThisMachine(name))
        .filter(([name, value]) => filesOf(name, value).every((path) => existsSync(path)))
      return { ...Object.fromEntries(kept), PATH: path }
    },
    run: (command, view, terms) => runBuildCommand(place, command, view, terms),
    async close() {
      if (owner.shared === undefined) await removeNetwork(engine, owner)
    },
  }
}

async function imageThere(
  engine: Engine,
  image: string,
  { signal, say }: ContainedBuild,
): Promise<Docker.ImageInspectInfo> {
  const look = () => engine.docker.getImage(image).inspect()
  try {
    return await whenThere(engine, look, { signal, onAway: say })
  } catch (error) {
    signal.throwIfAborted()
    const why = isMissing(error) ? `has no image ${image}` : `says: ${explain(error)}`
    throw new BuildError(
      'container',
      `The container engine at ${engine.address} ${why}. Build it with deploy/Dockerfile, or name another one with RUNYARD_IMAGE.`,
      { cause: error },
    )
  }
}

function pathOf({ Config }: Docker.ImageInspectInfo): string {
  const found = Config?.Env?.find((one) => one.startsWith('PATH='))
  return found?.slice('PATH='.length) || USUAL_PATH
}

/** Docker and podman print it when the push is complete. Podman itself knows the image by another digest. */
const DIGEST = /\bdigest: (sha256:[0-9a-f]{64})\b/

/**
 * As `BuildContainers.pushImage`. Afterwards the engine knows the image by that name, so that it starts here without
 * the registry, and is removed with the revision.
 */
async function pushImage(ground: ImageGround, order: ImagePush): Promise<string> {
  const {
    engine,
    installation,
    docker: { pullMs },
  } = ground
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
