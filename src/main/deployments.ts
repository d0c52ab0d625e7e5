/** The parts that build, run and remove deployments on this machine. */
import { createHmac } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { createPublishedBuilder } from '../artifacts/published-builder.ts'
import { createRegistryClient } from '../artifacts/registry/client.ts'
import { createPushedBuilder } from '../artifacts/registry/pushed-builder.ts'
import { createWays } from '../artifacts/registry/ways.ts'
import { createBuilder } from '../build/builder.ts'
import type { Bundler } from '../build/javascript/bundle.ts'
import { LaterWork } from '../build/later-work.ts'
import { revisionFolder } from '../build/layout.ts'
import { localProject } from '../build/local-project.ts'
import type { BuilderOptions } from '../build/options.ts'
import type { ImageSources } from '../build/sources/image.ts'
import { createSourceSnapshots } from '../build/sources/snapshot.ts'
import { createTarballs } from '../build/tarballs.ts'
import { systemClock } from '../core/clock.ts'
import type { FolderArtifact } from '../core/deployment/artifacts/artifact.ts'
import type { ArtifactStore } from '../core/deployment/artifacts/store.ts'
import type { Builder } from '../core/deployment/builds/build.ts'
import type { BuildJobs } from '../core/deployment/builds/job.ts'
import { dataKeyOf } from '../core/deployment/data-key.ts'
import type { RuntimeDriver } from '../core/deployment/runtime.ts'
import type { Sandbox } from '../core/deployment/sandbox.ts'
import type { Log } from '../core/log.ts'
import { parseIpRange } from '../core/network/ip-range.ts'
import type { ObjectStore } from '../core/object-store.ts'
import { bundlePath } from '../graph/js/bundle/write.ts'
import { openSandbox } from '../process/sandbox.ts'
import { deployLogPaths } from '../runtime/deploy-log.ts'
import { createBuildContainers } from '../runtime/docker/build-containers.ts'
import { areFetched, createDriver } from '../runtime/drivers.ts'
import { createBuildJobs } from '../runtime/kubernetes/build-jobs.ts'
import type { RuntimeParts, RuntimeRecord } from '../runtime/runtime-parts.ts'
import type { UpConfig } from '../settings/config.ts'
import { createRevisionLogs } from '../telemetry/revision-logs.ts'
import { createGuardedFetch } from '../webhook/guarded-fetch.ts'
import { NO_IMAGES, ownBundler, PROJECT_CHECKS } from './builds/build-parts.ts'
import { readBuildSettings } from './builds/settings.ts'
import { createDeploymentDatabases } from './deployment-databases.ts'
import { agentProgramPath } from './installation/agent-program.ts'
import { ownPaths } from './installation/command-path.ts'
import type { DataFolder } from './installation/data-folder.ts'

/** Each term in which this control plane leads gets its own runtime driver. */
export function openDeployments(
  config: UpConfig,
  folder: DataFolder,
  { home, objects, packed, driverKey, record, log }: Surroundings,
) {
  const sandbox = openProjectSandbox(config, folder, log)
  const databases = createDeploymentDatabases(config, driverKey)
  const tarballs = createTarballs({ dir: folder.builds, objects })
  const docker = { ...config.docker, image: config.image, key: driverKey }
  const { buildCpus: cpus, buildEnv } = config
  const containers = config.buildsInContainers
    ? createBuildContainers({ docker, cpus, env: buildEnv })
    : undefined
  const jobs = openBuildJobs(config, driverKey, log)
  const elsewhere = jobs && { jobs, artifacts: packed }
  const images = openImages(config)
  const laterWork = new LaterWork()
  const tools = { tarballs, sandbox, containers, elsewhere, images, laterWork, log }
  const builder = createProjectBuilder(config, folder, tools)
  const rootOf = (artifact: FolderArtifact) => localProject(folder.builds, artifact).root
  const found = areFetched(config.runtime)
    ? createPublishedBuilder(builder, { artifacts: packed, rootOf, isDone: jobs !== undefined })
    : builder
  const { own, registry } = images
  return {
    tarballs,
    packed,
    logs: createRevisionLogs({
      paths: (kind, revision_id) =>
        kind === 'build'
          ? [revisionFolder(folder.builds, revision_id).log]
          : deployLogPaths(folder.deploymentLogs, revision_id),
    }),
    snapshots: createSourceSnapshots(folder.builds),
    builder: own ? createPushedBuilder(found, { own, registry, log }) : found,
    createDriver: () =>
      createConfiguredDriver(config, folder, {
        ...{ packed, databases, driverKey, docker, record, sandbox, home, log },
      }),
    /** Lets go of the Jobs of builds, and ends later work of builds here. */
    async closeBuilds() {
      await laterWork.stop()
      await jobs?.stop()
    },
    /** Removes a deployment's data beside its builds. */
    async removeData(deployment_id: string) {
      await databases.remove(deployment_id)
      await tarballs.removeAll(deployment_id)
      await folder.removeDeployment(deployment_id)
    },
    registry: config.registry,
  }
}

interface Surroundings {
  home: NonNullable<RuntimeParts['home']>
  objects: ObjectStore
  packed: ArtifactStore
  /** Drivers derive tokens from it, which their successors can derive again. Secret. */
  driverKey: Uint8Array
  record: Omit<RuntimeRecord, 'id'>
  log: Log
}

function createConfiguredDriver(
  config: UpConfig,
  folder: DataFolder,
  {
    packed,
    databases,
    driverKey: key,
    record,
    ...parts
  }: Omit<Surroundings, 'objects'> & {
    docker: NonNullable<RuntimeParts['docker']>
    sandbox: Sandbox
    databases: ReturnType<typeof createDeploymentDatabases>
  },
): RuntimeDriver {
  return createDriver(config.runtime, {
    command: { file: process.execPath, args: [agentProgramPath()] },
    locate: (artifact) => localProject(folder.builds, artifact),
    dataDir: folder.deploymentData,
    databaseUrl: databases.urlOf,
    dataKey: (deployment_id) => dataKeyOf(key, deployment_id),
    logsDir: folder.deploymentLogs,
    async artifactAddress(artifact) {
      const { root } = localProject(folder.builds, artifact)
      const known = await packed.find(artifact.id)
      const publication = { artifact, repo_commit_sha: null, root }
      return packed.addressOf(known ?? (await packed.publish(publication)))
    },
    env: { ...config.childEnv, ...config.agentServerEnv },
    podEnv: config.agentServerEnv,
    record: { ...record, id: recordIdOf(key) },
    healthTimeoutMs: config.startTimeoutMs,
    drainMs: config.drainMs,
    ...(config.kubernetes && { kubernetes: config.kubernetes }),
    clock: systemClock,
    ...parts,
  })
}

/** The id stays the same when the record moves, and does not reveal the key. */
function recordIdOf(key: Uint8Array): string {
  return createHmac('sha256', key).update('runyard: name of the record').digest('hex').slice(0, 16)
}

/** Commands may read Runyard itself, programs on the PATH, and certificates. */
function openProjectSandbox(
  { sandbox, dataDir, childEnv }: UpConfig,
  folder: DataFolder,
  log: Log,
) {
  const { PATH = '', NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, SSL_CERT_DIR, GIT_SSL_CAINFO } = childEnv
  const programs = PATH.split(delimiter).filter((path) => isAbsolute(path) && path !== '/')
  const certificates = [NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, SSL_CERT_DIR, GIT_SSL_CAINFO]
  const readable = [
    ...ownPaths(),
    process.execPath,
    ...programs.flatMap((path) => [path, join(dirname(path), 'lib/node_modules')]),
    ...certificates.filter((path) => path !== undefined),
  ]
  mkdirSync(folder.builds, { recursive: true, mode: 0o700 })
  return openSandbox({ setting: sandbox, dataDir, readable, log })
}

/** Needs `agentsUrl`, at which pods reach the leading control plane: they upload their result there. */
function openBuildJobs(config: UpConfig, key: Uint8Array, log: Log): BuildJobs | undefined {
  const { kubernetes: cluster, agentsUrl, buildsInContainers, buildEnv } = config
  if (!cluster || agentsUrl === undefined || buildsInContainers) return undefined
  const { buildTimeoutMs: commandMs, buildMemoryBytes: maxMemoryBytes, buildCpus: cpus } = config
  return createBuildJobs({
    ...{ cluster, log, record: recordIdOf(key), limits: { commandMs, maxMemoryBytes, cpus } },
    readSettings: () => readBuildSettings(buildEnv, log),
  })
}

function createProjectBuilder(
  config: UpConfig,
  folder: DataFolder,
  {
    laterWork,
    ...tools
  }: Pick<
    BuilderOptions,
    'tarballs' | 'sandbox' | 'containers' | 'elsewhere' | 'images' | 'log'
  > & { laterWork: LaterWork },
): Builder {
  return createBuilder({
    ...tools,
    ...PROJECT_CHECKS,
    dir: folder.builds,
    env: config.buildEnv,
    ...(areFetched(config.runtime) && { imageRefusal: NO_IMAGES }),
    downloads: {
      own: createGuardedFetch({ allowed: EVERYWHERE, setting: null, isStreamed: true }).fetch,
      named: createGuardedFetch({ allowed: [], setting: null, isStreamed: true }).fetch,
    },
    bundler: openBundler(config, tools.containers && IN_IMAGE, laterWork),
    limits: {
      installMs: config.buildTimeoutMs,
      buildMs: config.buildTimeoutMs,
      maxMemoryBytes: config.buildMemoryBytes,
    },
    clock: systemClock,
  })
}

/** The operator's registry may be anywhere; the rules apply to registries that deployments name. */
function openImages({ registry: own, registryAllow }: UpConfig): ImageSources {
  const setting = 'RUNYARD_REGISTRY_ALLOW'
  const outgoing = createGuardedFetch({ allowed: registryAllow, setting })
  const ownOutgoing = createGuardedFetch({ allowed: EVERYWHERE, setting })
  return { own, registry: createRegistryClient(createWays({ own, ownOutgoing, outgoing })) }
}

const EVERYWHERE = ['0.0.0.0/0', '::/0'].flatMap((text) => parseIpRange(text) ?? [])

/** Where folders are packed at the end of a build, or the build runs in a container, schemas are made at once too. */
function openBundler(
  { runtime }: UpConfig,
  inImage: typeof IN_IMAGE | undefined,
  work: LaterWork,
): Bundler {
  const pathOf = bundlePath
  if (inImage) return { command: inImage, pathOf }
  const command = ownBundler()
  if (areFetched(runtime)) return { command, pathOf }
  const schemas = { command: [...command, '--schemas'] as const, work }
  return { command: [...command, '--bundle'], schemas, pathOf }
}

/** The command that bundles a project in a container of Runyard's image. */
const IN_IMAGE = ['runyard', 'artifact', 'bundle'] as const
