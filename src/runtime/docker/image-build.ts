/** Images that are built for projects, by the engine's own build: root is root of the image only. */
import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type Docker from 'dockerode'
import { create } from 'tar'
import { LINK_LABEL } from '../../core/deployment/artifacts/artifact.ts'
import { BuildError } from '../../core/deployment/builds/build.ts'
import type { ImageOrder } from '../../core/deployment/builds/project-commands.ts'
import { HAS_TRIGGERS } from '../../core/deployment/images/image.ts'
import { AppError } from '../../core/errors.ts'
import { createLineSplitter } from '../../process/output-lines.ts'
import {
  type DockerSettings,
  type Engine,
  explain,
  isAway,
  isMissing,
  whenThere,
} from './engine.ts'
import { DEPLOYMENT, INSTALLATION, REVISION } from './labels.ts'
import { BUILD_CPU_SHARES } from './limits.ts'
import { removeNetwork, withNetwork } from './network.ts'
import { followProgress } from './progress.ts'
import { pulledImage, removePulled } from './pulled-images.ts'

export interface ImageGround {
  engine: Engine
  docker: DockerSettings
  installation: string
  cpus: number
}

const CPU_PERIOD = 100_000

/** As `BuildContainers.buildImage`. */
export async function buildImage(ground: ImageGround, order: ImageOrder): Promise<string> {
  const { engine, installation, docker } = ground
  const { deployment_id, context, signal, say } = order
  const { base, preparation } = await baseOf(ground, order)
  const name = `.runyard-${randomUUID()}.Dockerfile`
  const owner = { installation, deployment_id, shared: docker.network }
  // Comes first, so that every layer has it: no deployment gets another's cached layers of the same lines.
  const labelled = [`LABEL ${DEPLOYMENT}=${deployment_id}`, ...preparation]
  await writeFile(join(context, name), order.dockerfile(base, labelled), { flag: 'wx' })
  try {
    const build = (network: string) => buildOn(network, name, ground, order)
    const ask = () => withNetwork(engine, owner, build)
    return await whenThere(engine, ask, { signal, onAway: say })
  } finally {
    await rm(join(context, name), { force: true })
    // A failed build leaves layers that no image has: they are found by the label that they begin with.
    const left = { dangling: ['true'], label: [`${DEPLOYMENT}=${deployment_id}`] }
    await engine.docker.pruneImages({ filters: JSON.stringify(left) }).catch(() => {})
    if (docker.network === undefined) await removeNetwork(engine, owner)
  }
}

/** As `BuildContainers.removeImages`. */
export async function removeImages(
  { engine, installation }: Pick<ImageGround, 'engine' | 'installation'>,
  revision_id: string,
): Promise<void> {
  // Podman treats several labels as alternatives.
  const filters = JSON.stringify({ label: [`${REVISION}=${revision_id}`] })
  await removePulled(engine, { installation, revision_id })
  for (const { Id, Labels } of await engine.docker.listImages({ filters })) {
    if (Labels?.[INSTALLATION] === installation) await removeBuilt(engine, Id, revision_id)
  }
}

/** Removes every name that the revision gave it. Another revision may run it as an image that it has pulled. */
async function removeBuilt({ docker }: Engine, id: string, revision_id: string): Promise<void> {
  const { RepoTags, RepoDigests } = await docker.getImage(id).inspect()
  const tags = RepoTags ?? []
  const own = tags.filter((tag) => tag.endsWith(`:${revision_id}`))
  const isLast = own.length === tags.length
  const digests = isLast ? (RepoDigests ?? []) : []
  // An engine takes it away with its last name, and a name more than once is none.
  for (const name of [...own, ...digests]) await docker.getImage(name).remove().catch(unlessMissing)
  if (isLast) await docker.getImage(id).remove().catch(unlessMissing)
}

function unlessMissing(error: unknown): void {
  if (!isMissing(error)) throw error
}

/** As `BuildContainers.hasImage`. */
export async function hasImage(
  { engine }: Pick<ImageGround, 'engine'>,
  id: string,
): Promise<boolean> {
  return engine.docker
    .getImage(id)
    .inspect()
    .then(
      () => true,
      (error: unknown) => !isMissing(error),
    )
}

/** The base image, and the instructions that add Runyard to it. */
async function baseOf(
  { engine, docker: { image: ownImage, pullMs }, installation }: ImageGround,
  { base, revision_id, signal, say }: ImageOrder,
): Promise<{ base: string; preparation: string[] }> {
  if (!base) return { base: ownImage, preparation: [] }
  say(`Pulling ${base.image_uri}.`)
  const terms = { login: base.login, pullMs, installation, revision_id, signal }
  const ask = () => pulledImage(engine, base.image_uri, terms)
  const about = await whenThere(engine, ask, { signal, onAway: say }).catch(refuse)
  if ((about.Config?.OnBuild ?? []).length > 0) throw new BuildError('image', HAS_TRIGGERS)
  if (LINK_LABEL in (about.Config?.Labels ?? {})) return { base: base.image_uri, preparation: [] }
  const own = await engine.docker.getImage(ownImage).inspect()
  return { base: base.image_uri, preparation: preparationOf(ownImage, own, about) }
}

/** Runyard's programs lie in a folder of their own, and need of the base no more than a C library and a shell. */
function preparationOf(
  ownImage: string,
  own: Docker.ImageInspectInfo,
  base: Docker.ImageInspectInfo,
): string[] {
  // The base may come from any registry, and a line break would begin another instruction.
  const ofBase = /^[\w./:@+-]+$/.exec(variableOf(base, 'PATH') ?? '')?.[0]
  const path = ['/opt/runyard/bin', ofBase ?? variableOf(own, 'PATH')]
  return [
    `COPY --from=${ownImage} /opt/runyard /opt/runyard`,
    `COPY --from=${ownImage} /usr/bin/tini /usr/bin/tini`,
    `ENV PATH=${path.join(':')}`,
    `LABEL ${LINK_LABEL}=1`,
    `ENTRYPOINT ${JSON.stringify(own.Config?.Entrypoint ?? ['tini', '--', 'runyard'])}`,
    'CMD []',
  ]
}

function variableOf({ Config }: Docker.ImageInspectInfo, name: string): string | undefined {
  const found = Config?.Env?.find((one) => one.startsWith(`${name}=`))
  return found?.slice(name.length + 1)
}

async function buildOn(
  networkmode: string,
  dockerfile: string,
  { engine, installation, cpus }: ImageGround,
  { deployment_id, revision_id, context, signal, limitMs, maxMemoryBytes, say }: ImageOrder,
): Promise<string> {
  const limit = AbortSignal.timeout(limitMs)
  const unreadable = new AbortController()
  const abortSignal = AbortSignal.any([signal, limit, unreadable.signal])
  // Links are packed as links: nothing outside of the folder is read.
  const packed = Readable.from(create({ cwd: context, portable: true, filter: isForEngine }, ['.']))
  packed.once('error', (error) => unreadable.abort(error))
  const t = `localhost/runyard-built/${deployment_id}:${revision_id}`
  const options = {
    ...{ t, dockerfile, networkmode, abortSignal, rm: true, forcerm: true },
    ...{ memory: maxMemoryBytes, memswap: maxMemoryBytes },
    ...{ cpuperiod: CPU_PERIOD, cpuquota: Math.round(cpus * CPU_PERIOD) },
    cpushares: BUILD_CPU_SHARES,
    labels: { [INSTALLATION]: installation, [DEPLOYMENT]: deployment_id, [REVISION]: revision_id },
  }
  const lines = createLineSplitter(say)
  const onText = (text: string) => lines.write(Buffer.from(text))
  try {
    const progress = await engine.patient.buildImage(packed, options)
    await followProgress(progress, { signal: abortSignal, onText }).finally(lines.end)
    return (await engine.docker.getImage(t).inspect()).Id
  } catch (error) {
    signal.throwIfAborted()
    if (limit.aborted) {
      const seconds = Math.round(limitMs / 1000)
      throw new BuildError('image', `The image took longer than ${seconds} s and was given up.`)
    }
    // Its code would look like that of an engine that is away.
    const { reason } = unreadable.signal
    if (reason) throw new BuildError('image', `The project cannot be read: ${explain(reason)}`)
    if (isAway(error)) throw error
    throw new BuildError('image', `The image could not be built: ${explain(error)}`)
  } finally {
    packed.destroy()
  }
}

/** Podman reads these itself, and follows links anywhere on its machine: to /dev/zero, without an end. */
const READ_BY_ENGINE = /^(\.\/)*\.(docker|container)ignore$/

function isForEngine(path: string, entry: object): boolean {
  const isLink = 'isSymbolicLink' in entry && (entry as Stats).isSymbolicLink()
  return !(isLink && READ_BY_ENGINE.test(path))
}

function refuse(error: unknown): never {
  if (!(error instanceof AppError)) throw error
  throw new BuildError('image', error.message, { cause: error })
}
