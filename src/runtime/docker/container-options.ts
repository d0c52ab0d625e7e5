/** The engine's options for the container of one replica. Nothing of the operator's is in it. */
import { dirname } from 'node:path'
import type Docker from 'dockerode'
import type { LocalProject } from '../../core/deployment/artifacts/artifact.ts'
import type { Secret } from '../../core/deployment/revision.ts'
import type { JsonObject } from '../../core/json.ts'
import { serveArguments } from '../start-message.ts'
import { containerLimits } from './limits.ts'

/** Where every agent server listens, in its container. */
export const PORT = 8000
/** How much of a container's output the engine keeps; the deploy log has more. */
const KEPT_OUTPUT = '10m'
/** The folder for data that lasts no longer than its container. */
const SCRATCH = '/tmp/runyard'

interface ContainerNeeds {
  name: string
  image: string
  labels: Record<string, string>
  network: string
  /** `UID:GID`; `undefined`: the image's own. */
  user: string | undefined
  resource_spec: JsonObject | null
  /** Of the operator, for agent servers on every machine. */
  env: Readonly<Record<string, string>>
  /** The project built on this machine; `undefined`: it is in the image. */
  project: LocalProject | undefined
  /** Where it keeps its data on this machine; `undefined`: in PostgreSQL. */
  dataDir: string | undefined
  /** Where its port is published; `undefined`: it is reached by its address on the network. */
  publishedOn: string | undefined
  /** It is Runyard's own, or built on it: secrets come over its standard input. */
  isLinked: boolean
  /** For an image that takes them no other way. */
  secrets: readonly Secret[]
}

export function containerOptions(needs: ContainerNeeds): Docker.ContainerCreateOptions {
  const { isLinked, publishedOn } = needs
  const exposed = `${PORT}/tcp`
  return {
    name: needs.name,
    Image: needs.image,
    Labels: needs.labels,
    Env: environmentOf(needs),
    ...(needs.user !== undefined && { User: needs.user }),
    ...(isLinked && { Cmd: argumentsOf(needs), ...STDIN }),
    ...(needs.project && { WorkingDir: dirname(needs.project.configPath) }),
    ExposedPorts: { [exposed]: {} },
    HostConfig: {
      ...hostConfig(needs),
      ...(publishedOn !== undefined && {
        PortBindings: { [exposed]: [{ HostIp: publishedOn, HostPort: '' }] },
      }),
    },
  }
}

/** Its one writer is the driver, which closes it. */
const STDIN = { OpenStdin: true, StdinOnce: true, AttachStdin: true }

function hostConfig({ resource_spec, network, ...needs }: ContainerNeeds): Docker.HostConfig {
  const { host, tmpMb } = containerLimits(resource_spec)
  return {
    ...host,
    NetworkMode: network,
    // A foreign image may write anywhere in its own layer.
    ReadonlyRootfs: needs.isLinked,
    Tmpfs: { '/tmp': `rw,nosuid,nodev,mode=1777,size=${tmpMb}m` },
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    RestartPolicy: { Name: 'no' },
    LogConfig: { Type: 'json-file', Config: { 'max-size': KEPT_OUTPUT } },
    Binds: bindsOf(needs),
  }
}

/**
 * Folders have the same paths in the container as here: environments of Python, and bundles, contain their own paths.
 */
function bindsOf({ project, dataDir }: Pick<ContainerNeeds, 'project' | 'dataDir'>): string[] {
  const read = [project?.root, project?.node?.root, project?.python?.root]
  const folders = new Set(read.filter((path) => path != null))
  const binds = [...folders].map((path) => `${path}:${path}:ro`)
  return dataDir === undefined ? binds : [...binds, `${dataDir}:${dataDir}:rw`]
}

function environmentOf({ env, isLinked, secrets }: ContainerNeeds): string[] {
  const own = { HOME: '/tmp', PORT: String(PORT) }
  const given = isLinked
    ? { ...env, RUNYARD_START_FILE: '/dev/stdin' }
    : Object.fromEntries(secrets.map(({ name, value }) => [name, value]))
  return Object.entries({ ...given, ...own }).map(([name, value]) => `${name}=${value}`)
}

function argumentsOf({ project, dataDir = SCRATCH }: ContainerNeeds): string[] {
  return serveArguments(project?.configPath, { host: '0.0.0.0', port: PORT, dataDir })
}
