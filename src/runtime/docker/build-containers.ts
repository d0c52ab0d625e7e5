/**
 * Containers for the commands of builds: each command has one, of Runyard's image. It sees the project's source and
 * home, and of the operator only how packages are reached.
 */
import { existsSync } from 'node:fs'
import type Docker from 'dockerode'
import { BuildError } from '../../core/deployment/builds/build.ts'
import { filesOf, isOfThisMachine } from '../../core/deployment/builds/environment.ts'
import type {
  BuildContainers,
  ContainedBuild,
  ProjectCommands,
} from '../../core/deployment/builds/project-commands.ts'
import { type BuildPlace, runBuildCommand } from './build-command.ts'
import { type Engine, explain, isMissing, openEngine, whenThere } from './engine.ts'
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
import { pushImage } from './pushed-images.ts'
import type { DockerSettings } from './settings.ts'
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
    const { image: ownImage, network, pullMs } = docker
    const installation = installationOf(docker.key)
    return { engine: opened, installation, ownImage, network, pullMs, cpus }
  }
  return {
    ownImage: docker.image,
    buildImage: (order) => buildImage(ground(), order),
    pushImage: (push) => pushImage(ground(), push),
    removeImages: (revision_id) => removeImages(ground(), revision_id),
    hasImage: (id) => hasImage(ground(), id),
    async open(build) {
      const { engine } = ground()
      if (!engine.isLocal) {
        throw new BuildError(
          'container',
          `The container engine at ${engine.address} is on another machine, where folders of this one cannot be mounted: deploy an image.`,
        )
      }
      const image = build.image ?? docker.image
      const about = await imageThere(engine, image, build)
      const owner = { installation: installationOf(docker.key), deployment_id: build.deployment_id }
      // Under a driver other than docker, nothing else removes them.
      const sweep = () => removeLeftBuilds(engine, owner.installation)
      if (!isSwept) await whenThere(engine, sweep, { signal: build.signal, onAway: build.say })
      isSwept = true
      const labels = {
        [INSTALLATION]: owner.installation,
        [DEPLOYMENT]: build.deployment_id,
        [REVISION]: build.revision_id,
        [BUILD]: THIS_PROCESS,
      }
      const { network } = docker
      const user = userOf(docker)
      const files = Object.entries(env).flatMap(([name, value]) => filesOf(name, value))
      const place = { engine, image, owner, network, labels, user, cpus, files }
      return commandsOf(place, pathOf(about))
    },
  }
}

function commandsOf(place: BuildPlace, path: string): ProjectCommands {
  const { engine, user, network, owner } = place
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
      if (network === undefined) await removeNetwork(engine, owner)
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
