/**
 * Turns environment and flags into one validated, frozen configuration. This is the only file that reads
 * `process.env`. A flag wins over its `RUNYARD_*` variable, the variable over `PORT`, and that over the
 * default in `settings/table.ts`.
 */
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { ServerRole } from './core/agent/server/role.ts'
import type { ArtifactsPlace } from './core/deployment/artifacts/place.ts'
import type { OwnRegistry } from './core/deployment/images/registry.ts'
import type { KubernetesSettings } from './core/deployment/kubernetes-settings.ts'
import { isListenerKey } from './core/deployment/listener.ts'
import type { RuntimeName } from './core/deployment/runtime.ts'
import type { SandboxSetting } from './core/deployment/sandbox.ts'
import type { LogLevel } from './core/log.ts'
import type { IpRange } from './core/network/ip-range.ts'
import type { UserTokenSettings } from './core/people/user-token.ts'
import { readAgentDatabase } from './settings/agent-database.ts'
import { readAgentServerSettings, readOpenTo, readWorkers } from './settings/agent-server.ts'
import { readArtifactsPlace, regionOf } from './settings/artifacts.ts'
import { readControlPlaneKey, readControlPlaneUrl } from './settings/client.ts'
import { readDockerCerts } from './settings/docker-certs.ts'
import { readAdminKey, readEncryptionKeys } from './settings/keys.ts'
import { checkPodsReach, readKubernetes } from './settings/kubernetes.ts'
import { readRegistry } from './settings/registry.ts'
import { readSandbox } from './settings/sandbox.ts'
import { type Environment, type Flags, pick, Settings, splitList } from './settings/settings.ts'
import { handedOn, rowOf } from './settings/table.ts'
import { readUserTokens } from './settings/user-tokens.ts'

/** How `runyard up` runs: control plane, gateway and deployments on one address. */
export interface UpConfig {
  /** `RUNYARD_HOST`. */
  readonly host: string
  /** `RUNYARD_PORT`; 0 picks a free port. */
  readonly port: number
  /** `RUNYARD_DATA_DIR`; absolute here. */
  readonly dataDir: string
  /** `--database-url` / `RUNYARD_DATABASE_URL`; unset: SQLite in the data folder. */
  readonly databaseUrl: string | undefined
  /** `RUNYARD_AGENT_DATABASE_URL`: the same database as agent servers reach it; unset: `databaseUrl`. */
  readonly agentDatabaseUrl: string | undefined
  /** `RUNYARD_AGENT_DATABASE_ROLES`: the database user of agent servers in containers and pods. */
  readonly agentDatabaseRoles: 'own' | 'shared'
  /** `RUNYARD_ADMIN_KEY`; unset: the first start makes one and keeps it in the data folder. */
  readonly adminKey: string | undefined
  /**
   * `RUNYARD_ENCRYPTION_KEY`, 32 bytes; unset: the first start makes one and keeps it in the data
   * folder.
   */
  readonly encryptionKey: Buffer | undefined
  /**
   * `RUNYARD_ENCRYPTION_KEY_OLD`, separated by commas: previous keys, whose texts are re-encrypted with the
   * present key at the start.
   */
  readonly oldEncryptionKeys: readonly Buffer[]
  /** `RUNYARD_OIDC_*`: the issuer whose signed user tokens are accepted; unset: none. */
  readonly userTokens: UserTokenSettings | undefined
  /** `RUNYARD_OAUTH_PROVIDERS`, absolute here: the file with the providers of every workspace. */
  readonly oauthProvidersFile: string | undefined
  /** `RUNYARD_OAUTH_ALLOW`: providers that may be called although they are not public. */
  readonly oauthAllow: readonly IpRange[]
  /** `RUNYARD_TLS_CERT` and `RUNYARD_TLS_KEY`, absolute here; unset: no TLS. */
  readonly tls: { cert: string; key: string } | undefined
  /** `RUNYARD_PUBLIC_URL` without a slash at the end; unset: the address where it listens. */
  readonly publicUrl: string | undefined
  /**
   * `RUNYARD_INTERNAL_URL` without a slash at the end: where another `up` on the same PostgreSQL reaches
   * this one; unset: the address where it listens.
   */
  readonly internalUrl: string | undefined
  /**
   * `RUNYARD_AGENTS_URL` without a slash at the end: where agents reach the leading control plane;
   * unset: `internalUrl`, or the address where it listens.
   */
  readonly agentsUrl: string | undefined
  /** `RUNYARD_DOMAIN`: a deployment also answers at `<name>.<domain>`; unset: only at its path. */
  readonly domain: string | undefined
  /** `RUNYARD_EXAMPLE`: deploys the example agent on first start. */
  readonly isExampleWanted: boolean
  /** `RUNYARD_DASHBOARD`: serves the dashboard at `/`. */
  readonly isDashboardWanted: boolean
  /** `RUNYARD_BUILD_TIMEOUT_SECS`: how long each command of a build may take. */
  readonly buildTimeoutMs: number
  /** `RUNYARD_BUILD_MEMORY_MB`: the memory limit of a build command with all its processes. */
  readonly buildMemoryBytes: number
  /** `RUNYARD_BUILD_CPUS`: processors for a build command in its container, or for the whole build in its Job. */
  readonly buildCpus: number
  /**
   * `RUNYARD_KEPT_REVISIONS`: how many deployed revisions of a deployment keep their build,
   * so that a rollback to one takes no longer than a process start.
   */
  readonly keptRevisions: number
  /** Whether it runs in a pod, whose log others read too. */
  readonly isInPod: boolean
  /** `RUNYARD_START_TIMEOUT_SECS`: how long an agent server may take from its start until it answers. */
  readonly startTimeoutMs: number
  /**
   * `RUNYARD_DRAIN_SECS`: how long runs and streams of a replaced revision go on there before they are
   * handed on.
   */
  readonly drainMs: number
  /** `RUNYARD_IDLE_SECS`: after how long without a request a deployment with min_scale 0 sleeps. */
  readonly idleMs: number
  /** `RUNYARD_FIGURES_SECS`: the length of a step of figures, kept for a day. */
  readonly figuresStepMs: number
  /** `RUNYARD_LOG_LEVEL`. */
  readonly logLevel: LogLevel
  /** The model keys of the environment, which become secrets of the example. */
  readonly modelKeys: Readonly<Record<string, string>>
  /**
   * The part of this process's environment that builds and agent servers get. Contains nothing of
   * Runyard's own.
   */
  readonly childEnv: Readonly<Record<string, string>>
  /** The same with the machine's settings of Python package indexes, which only builds get. */
  readonly buildEnv: Readonly<Record<string, string>>
  /** `RUNYARD_MAX_BODY_BYTES`: the largest request that passes the gateway; unset: 256 MiB. */
  readonly maxBodyBytes: number | undefined
  /** `RUNYARD_MAX_REQUESTS_PER_SECOND` of one caller to the control plane; unset: no limit. */
  readonly maxRequestsPerSecond: number | undefined
  /** Further variables of agent servers: the operator's settings for them. */
  readonly agentServerEnv: Readonly<Record<string, string>>
  /** `RUNYARD_ARTIFACTS_URL`: the store of uploads and built folders; unset: the data folder. */
  readonly artifactsPlace: ArtifactsPlace | undefined
  /** `RUNYARD_REGISTRY_URL` with its logins; `undefined`: not configured. */
  readonly registry: OwnRegistry | undefined
  /** `RUNYARD_REGISTRY_ALLOW`: other registries that may be called although they are not public. */
  readonly registryAllow: readonly IpRange[]
  /** `RUNYARD_DOCKER_…`: the container engine of the driver `docker`. */
  readonly docker: {
    readonly host: string | undefined
    /** A folder with `ca.pem`, `cert.pem` and `key.pem`; absolute here; unset: no TLS. */
    readonly certs: string | undefined
    readonly network: string | undefined
    readonly user: string | undefined
    /** `RUNYARD_PULL_TIMEOUT_SECS`: how long an image may take to be pulled. */
    readonly pullMs: number
  }
  /**
   * Whether that engine runs the builds: always with the runtime `docker`; with `kubernetes` if
   * `RUNYARD_DOCKER_HOST` names it and a registry carries its images to the cluster.
   */
  readonly buildsInContainers: boolean
  /** `RUNYARD_IMAGE`: the image in which containers run built folders. */
  readonly image: string
  /** `RUNYARD_RUNTIME`: the runtime driver of deployments. */
  readonly runtime: RuntimeName
  /** The cluster of the runtime `kubernetes`; `undefined`: another runtime. */
  readonly kubernetes: KubernetesSettings | undefined
  /** `RUNYARD_SANDBOX`: the sandbox that protects the operator's files from projects. */
  readonly sandbox: SandboxSetting
}

/** How `runyard serve` runs: one agent server without a control plane. */
export interface ServeConfig {
  /** `--config`, default `langgraph.json` in the current folder; absolute here. */
  readonly configPath: string
  /** `--host` / `RUNYARD_HOST`. */
  readonly host: string
  /** `--port` / `RUNYARD_PORT` / `PORT`. 0 picks a free port, and is the default of a worker. */
  readonly port: number
  /** `--data-dir` / `RUNYARD_DATA_DIR`; absolute here. */
  readonly dataDir: string
  /** `RUNYARD_TLS_CERT` and `RUNYARD_TLS_KEY`, absolute here; unset: no TLS. */
  readonly tls: { cert: string; key: string } | undefined
  /** `RUNYARD_PUBLIC_URL` without a slash at the end; unset: the address in the requests. */
  readonly publicUrl: string | undefined
  /** `--database-url` / `RUNYARD_DATABASE_URL`; unset: SQLite in the data folder. */
  readonly databaseUrl: string | undefined
  /** `RUNYARD_API_KEYS`, separated by commas; empty: no key is needed. */
  readonly apiKeys: readonly string[]
  /**
   * `RUNYARD_ALLOWED_HOSTS`, separated by commas: the host names that a server without keys accepts, in
   * addition to those of the loopback.
   */
  readonly allowedHosts: readonly string[]
  /**
   * `RUNYARD_ALLOWED_ORIGINS`, separated by commas: the origins whose pages may call a server without keys,
   * in addition to those of this machine; unset: the hosted Studio's.
   */
  readonly allowedOrigins: readonly string[] | undefined
  /** `RUNYARD_DEV_HOST`: where the `dev` that started it listens; unset: no `dev` did. */
  readonly devHost: string | undefined
  /** `RUNYARD_URL` and `RUNYARD_API_KEY`: the control plane with its agents' vault; unset unless both are given. */
  readonly home: { url: string; key: string } | undefined
  /** `RUNYARD_START_FILE`: a runtime driver's start message; only read when it is managed. */
  readonly startFile: string | undefined
  /** `RUNYARD_ENCRYPTION_KEY`, 32 bytes; unset: made when first needed, and kept in the data folder. */
  readonly encryptionKey: Buffer | undefined
  /** `RUNYARD_ENCRYPTION_KEY_OLD`, separated by commas: previous keys, which still decrypt. */
  readonly oldEncryptionKeys: readonly Buffer[]
  /** `--n-jobs-per-worker` / `N_JOBS_PER_WORKER`: how many runs execute at once. */
  readonly concurrency: number
  /** `--role` / `RUNYARD_ROLE`. */
  readonly role: ServerRole
  /** `--workers`: how many processes of this server execute runs. Default 1: this process does. */
  readonly workers: number
  /** The arguments of `serve` for each of these processes, except the role. */
  readonly workerArgs: readonly string[]
  /** Their environment: this process's, before its project is loaded. */
  readonly workerEnv: Readonly<Record<string, string>>
  /** `RUNYARD_WEBHOOK_ALLOW`: addresses that webhooks may call although they are not public. */
  readonly webhookAllow: readonly IpRange[]
  /** `RUNYARD_WEBHOOK_TIMEOUT_SECS`: how long an attempt may take, in ms here. */
  readonly webhookTimeoutMs: number
  /** `RUNYARD_MAX_BODY_BYTES`: the largest request that is read; unset: 300 MiB. */
  readonly maxBodyBytes: number | undefined
  /** `RUNYARD_MAX_PENDING_RUNS`: how many runs may wait in all; unset: 100,000. */
  readonly maxPendingRuns: number | undefined
  /** `RUNYARD_MAX_PENDING_RUNS_PER_THREAD`: how many may wait on one thread; unset: 1,000. */
  readonly maxPendingRunsPerThread: number | undefined
  /** `RUNYARD_MAX_REQUESTS_PER_SECOND`: of one caller; unset: no limit. */
  readonly maxRequestsPerSecond: number | undefined
  /** `RUNYARD_STREAM_BUFFER_BYTES`: how much of a followed run is kept in memory; unset: 1 MiB. */
  readonly streamBufferBytes: number | undefined
  /** `RUNYARD_MAX_PAGE_BYTES`: the largest page of threads or of a history; unset: 32 MiB. */
  readonly pageBytes: number | undefined
  /** `RUNYARD_MAX_ANSWER_BYTES`: of all unread answers; unset: 128 MiB. */
  readonly answerBytes: number | undefined
  /** `RUNYARD_MAX_METADATA_BYTES`: of a thread, a run, an assistant or a cron; unset: 64 KiB. */
  readonly metadataBytes: number | undefined
  /** `RUNYARD_PYTHON_PROCESSES`: how many processes run graphs in Python. */
  readonly pythonProcesses: number
  /** `RUNYARD_DASHBOARD`: serves the Studio at `/studio`. */
  readonly isStudioWanted: boolean
  /** `RUNYARD_LOG_LEVEL`. */
  readonly logLevel: LogLevel
  /** `LOG_JSON`. */
  readonly isLogJson: boolean
}

/** How `runyard dev` runs: like `serve`, in a process that it starts again with each change. */
export interface DevConfig extends ServeConfig {
  /** The environment of that process: this one's, with values of flags added. */
  readonly childEnv: Readonly<Record<string, string>>
}

/** How `runyard listener` runs: agent servers here, by the orders of a remote control plane. */
export interface ListenerConfig
  extends Pick<
    UpConfig,
    | 'host'
    | 'port'
    | 'databaseUrl'
    | 'agentDatabaseUrl'
    | 'agentDatabaseRoles'
    | 'tls'
    | 'publicUrl'
    | 'startTimeoutMs'
    | 'drainMs'
    | 'logLevel'
    | 'maxBodyBytes'
    | 'runtime'
    | 'kubernetes'
    | 'docker'
    | 'image'
  > {
  /** `RUNYARD_DATA_DIR`; absolute here, `.runyard/listener` where it is not set. */
  readonly dataDir: string
  /** `--url` / `RUNYARD_URL`, without a slash at the end: its control plane. */
  readonly url: string
  /** `--api-key` / `RUNYARD_API_KEY`: the listener's own. */
  readonly apiKey: string
}

/** How commands find a running control plane. */
interface ClientConfig {
  /** `--url` / `RUNYARD_URL`, without a slash at the end. */
  readonly url: string
  /**
   * `--api-key` / `RUNYARD_API_KEY`, else `admin.key` in the data folder (`RUNYARD_DATA_DIR`, default
   * `./.runyard`). That key is used only for a control plane on this machine.
   */
  readonly apiKey: string
  /** Where the key was found, as words for a message. */
  readonly keySource: string
}

/** Where an installation keeps its data, for `move`, `backup` and `restore`. */
export interface DataConfig {
  /** Whether it is the data of one `serve`, instead of an `up`. */
  readonly isServe: boolean
  /** As of `UpConfig`. */
  readonly dataDir: string
  readonly databaseUrl: string | undefined
}

export interface RestoreConfig extends DataConfig {
  /** As of `UpConfig`. */
  readonly encryptionKey: Buffer | undefined
  readonly oldEncryptionKeys: readonly Buffer[]
  readonly artifactsPlace: ArtifactsPlace | undefined
  /** `AWS_REGION`: of a bucket whose address names none. */
  readonly s3Region: string
}

export interface BackupConfig extends RestoreConfig {
  /** `--to` / `RUNYARD_BACKUP_TO`: a file, a folder, `s3://…`, or `-`. */
  readonly to: string
}

export interface MoveConfig extends DataConfig {
  /** `--to` / `RUNYARD_MOVE_TO`: a URL, or `sqlite:`; unset if nothing is moved. */
  readonly to: string | undefined
}

/** Throws `bad_request` with every problem of the configuration, one on each line. */
export function readUpConfig(flags: Flags, env: Environment = process.env): UpConfig {
  const read = new Settings(flags, env)
  const limits = readAgentServerSettings(read)
  const runtime = read.choice('RUNYARD_RUNTIME')
  const registry = readRegistry(read)
  // `DOCKER_HOST` may be set for other programs: it decides nothing.
  const isBuilderNamed = read.value('RUNYARD_DOCKER_HOST') !== undefined
  const isBuilder = runtime === 'kubernetes' && registry !== undefined && isBuilderNamed
  const config: UpConfig = {
    host: read.value('RUNYARD_HOST') ?? rowOf('RUNYARD_HOST').default,
    port: read.port(rowOf('RUNYARD_PORT').default.up),
    dataDir: dataDirOf(read, 'up'),
    databaseUrl: read.databaseUrl(),
    agentDatabaseUrl: readAgentDatabase(read),
    agentDatabaseRoles: read.choice('RUNYARD_AGENT_DATABASE_ROLES'),
    adminKey: readAdminKey(read),
    encryptionKey: readEncryptionKeys(read, 'RUNYARD_ENCRYPTION_KEY')[0],
    oldEncryptionKeys: readEncryptionKeys(read, 'RUNYARD_ENCRYPTION_KEY_OLD'),
    userTokens: readUserTokens(read),
    oauthProvidersFile: read.path('RUNYARD_OAUTH_PROVIDERS'),
    oauthAllow: read.ranges('RUNYARD_OAUTH_ALLOW'),
    tls: read.certificate(),
    publicUrl: read.baseUrl('RUNYARD_PUBLIC_URL'),
    internalUrl: read.baseUrl('RUNYARD_INTERNAL_URL'),
    agentsUrl: read.baseUrl('RUNYARD_AGENTS_URL'),
    domain: read.domain(),
    isExampleWanted: read.switch('RUNYARD_EXAMPLE'),
    isDashboardWanted: read.switch('RUNYARD_DASHBOARD'),
    buildTimeoutMs: read.number('RUNYARD_BUILD_TIMEOUT_SECS') * 1000,
    buildMemoryBytes: read.number('RUNYARD_BUILD_MEMORY_MB') * 1024 ** 2,
    buildCpus: read.number('RUNYARD_BUILD_CPUS'),
    startTimeoutMs: read.number('RUNYARD_START_TIMEOUT_SECS') * 1000,
    drainMs: read.number('RUNYARD_DRAIN_SECS') * 1000,
    idleMs: read.number('RUNYARD_IDLE_SECS') * 1000,
    figuresStepMs: read.number('RUNYARD_FIGURES_SECS') * 1000,
    keptRevisions: read.number('RUNYARD_KEPT_REVISIONS'),
    logLevel: read.choice('RUNYARD_LOG_LEVEL'),
    modelKeys: pick(env, ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY']),
    childEnv: childEnvironment(env),
    buildEnv: { ...childEnvironment(env), ...matching(env, BUILD_VARIABLES) },
    agentServerEnv: {
      ...pick(env, handedOn()),
      ...pick(
        env,
        Object.keys(env).filter((name) => name.startsWith('OTEL_')),
      ),
    },
    maxBodyBytes: limits.maxBodyBytes,
    maxRequestsPerSecond: limits.maxRequestsPerSecond,
    artifactsPlace: readArtifactsPlace(read, env),
    runtime,
    registry,
    buildsInContainers: runtime === 'docker' || isBuilder,
    registryAllow: read.ranges('RUNYARD_REGISTRY_ALLOW'),
    kubernetes: readKubernetes(read),
    docker: readDocker(read, env),
    image: read.value('RUNYARD_IMAGE') ?? rowOf('RUNYARD_IMAGE').default,
    sandbox: readSandbox(read),
    isInPod: env.KUBERNETES_SERVICE_HOST !== undefined,
  }
  checkPodsReach(read, config.host)
  return read.done(config)
}

/** Throws `bad_request` with every problem of the configuration, one on each line. */
export function readListenerConfig(flags: Flags, env: Environment = process.env): ListenerConfig {
  const read = new Settings(flags, env)
  const url = readControlPlaneUrl(read)
  const runtime = read.choice('RUNYARD_RUNTIME')
  if (runtime === 'process') {
    const why = 'a listener starts images'
    read.problem('RUNYARD_RUNTIME', `must be docker or kubernetes: ${why}`)
  }
  const config: ListenerConfig = {
    url,
    apiKey: readListenerKey(read),
    host: read.value('RUNYARD_HOST') ?? rowOf('RUNYARD_HOST').default,
    port: read.port(rowOf('RUNYARD_PORT').default.up),
    dataDir: resolve(read.value('RUNYARD_DATA_DIR') ?? '.runyard/listener'),
    databaseUrl: read.databaseUrl(),
    agentDatabaseUrl: readAgentDatabase(read),
    agentDatabaseRoles: read.choice('RUNYARD_AGENT_DATABASE_ROLES'),
    tls: read.certificate(),
    publicUrl: read.baseUrl('RUNYARD_PUBLIC_URL'),
    startTimeoutMs: read.number('RUNYARD_START_TIMEOUT_SECS') * 1000,
    drainMs: read.number('RUNYARD_DRAIN_SECS') * 1000,
    logLevel: read.choice('RUNYARD_LOG_LEVEL'),
    maxBodyBytes: read.number('RUNYARD_MAX_BODY_BYTES'),
    runtime,
    kubernetes: readKubernetes(read),
    docker: readDocker(read, env),
    image: read.value('RUNYARD_IMAGE') ?? rowOf('RUNYARD_IMAGE').default,
  }
  return read.done(config)
}

/** Only a listener's own key is accepted, and none is looked for elsewhere. */
function readListenerKey(read: Settings): string {
  const key = read.value('RUNYARD_API_KEY')?.trim() ?? ''
  if (!isListenerKey(key)) {
    read.problem('RUNYARD_API_KEY', 'must be the key of a listener, which begins with ryl_')
  }
  return key
}

/** Throws `bad_request` with every problem of the configuration, one on each line. */
export function readServeConfig(flags: Flags, env: Environment = process.env): ServeConfig {
  const read = new Settings(flags, env)
  const workers = readWorkers(read)
  // Only monitoring sends requests to a worker, and several on one machine need different ports.
  const port = workers.role === 'worker' ? 0 : rowOf('RUNYARD_PORT').default.serve
  const config: ServeConfig = {
    configPath: resolve(read.flag('config') ?? 'langgraph.json'),
    host: read.value('RUNYARD_HOST') ?? rowOf('RUNYARD_HOST').default,
    port: read.port(port),
    dataDir: dataDirOf(read, 'serve'),
    tls: read.certificate(),
    publicUrl: read.baseUrl('RUNYARD_PUBLIC_URL'),
    databaseUrl: read.databaseUrl(),
    apiKeys: splitList(read.value('RUNYARD_API_KEYS')),
    ...readOpenTo(read),
    devHost: env.RUNYARD_DEV_HOST || undefined,
    home: readHome(env),
    startFile: read.path('RUNYARD_START_FILE'),
    encryptionKey: readEncryptionKeys(read, 'RUNYARD_ENCRYPTION_KEY')[0],
    oldEncryptionKeys: readEncryptionKeys(read, 'RUNYARD_ENCRYPTION_KEY_OLD'),
    concurrency: read.number('N_JOBS_PER_WORKER'),
    ...workers,
    workerArgs: [],
    workerEnv: givenIn(env),
    ...readAgentServerSettings(read),
    isStudioWanted: read.switch('RUNYARD_DASHBOARD'),
    logLevel: read.choice('RUNYARD_LOG_LEVEL'),
    isLogJson: read.switch('LOG_JSON'),
  }
  return read.done({ ...config, workerArgs: workerArgsOf(config, flags) })
}

/** Throws `bad_request` with every problem of the configuration, one on each line. */
export function readDevConfig(flags: Flags, env: Environment = process.env): DevConfig {
  const config = readServeConfig(flags, env)
  const childEnv = {
    ...givenIn(env),
    N_JOBS_PER_WORKER: String(config.concurrency),
    RUNYARD_DEV_HOST: config.host,
  }
  return Object.freeze({ ...config, childEnv })
}

function givenIn(env: Environment): Record<string, string> {
  const given = Object.entries(env).filter((entry): entry is [string, string] => !!entry[1])
  return Object.fromEntries(given)
}

function readHome({ RUNYARD_URL, RUNYARD_API_KEY }: Environment): ServeConfig['home'] {
  const key = RUNYARD_API_KEY?.trim()
  if (!RUNYARD_URL || !key || !URL.canParse(RUNYARD_URL)) return undefined
  return { url: RUNYARD_URL.replace(/\/+$/, ''), key }
}

/** The input of `runyard artifact fetch`. */
export interface FetchConfig {
  /** `RUNYARD_ARTIFACT_URL`, separated by spaces; at least one. */
  readonly urls: readonly string[]
  /** `RUNYARD_ARTIFACT_DIGEST`: SHA-256, in hex. */
  readonly digest: string
  /** `--into`; absolute here. */
  readonly into: string
  /** The path to search for a Python. */
  readonly path: string
}

/** Throws `bad_request` with every problem of the configuration, one on each line. */
export function readFetchConfig(flags: Flags, env: Environment = process.env): FetchConfig {
  const read = new Settings(flags, env)
  const urls = (env.RUNYARD_ARTIFACT_URL ?? '').split(/\s+/).filter((url) => url !== '')
  if (urls.length === 0 || urls.some((url) => !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))) {
    read.problem('RUNYARD_ARTIFACT_URL', 'must be the http or https address of what to fetch')
  }
  const digest = (env.RUNYARD_ARTIFACT_DIGEST ?? '').replace(/^sha256:/, '').toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(digest)) {
    read.problem('RUNYARD_ARTIFACT_DIGEST', 'must be a SHA-256 in hex, 64 digits')
  }
  const into = resolve(flags.into ?? '.')
  return read.done({ urls, digest, into, path: env.PATH ?? USUAL_PATH })
}

const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin'

/** The input of `runyard artifact build`. Paths are absolute here. */
export interface BuildConfig {
  /** `--task`: the file of a `BuildTask`. */
  readonly task: string
  /** `--in`: an empty folder. */
  readonly into: string
  /** `--said`: the file that the end is written to. */
  readonly said: string
  /** The path to search for programs. */
  readonly path: string
}

export function readBuildConfig(
  flags: { task: string; in: string; said: string },
  env: Environment = process.env,
): BuildConfig {
  const { task, in: into, said } = flags
  const path = env.PATH ?? USUAL_PATH
  return Object.freeze({ task: resolve(task), into: resolve(into), said: resolve(said), path })
}

/** Throws `bad_request` with every problem of the configuration, one on each line. */
export function readClientConfig(flags: Flags, env: Environment = process.env): ClientConfig {
  const read = new Settings(flags, env)
  const url = readControlPlaneUrl(read)
  return read.done({ url, ...readControlPlaneKey(read, url) })
}

/**
 * Sets variables for the project that this process is about to load: `defaults` if they have no value yet,
 * `values` in any case. Removes the server's own keys first: code that looks variables up by a name that a
 * client sent must not find them. A process loads one project, so nothing is undone. Returns all variables
 * that are then set, for `project/variables.ts`.
 */
export function applyProjectEnvironment(
  defaults: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>>,
): Environment {
  for (const name of OWN_KEYS) delete process.env[name]
  return Object.assign(process.env, { ...defaults, ...process.env, ...values })
}

/** The variables of this process without the server's own keys: an env file may use them as `${NAME}`. */
export function readEnvironment(): Environment {
  const own: readonly string[] = OWN_KEYS
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.includes(name)))
}

/** Keys to this server, its database and its control plane, and those that decrypt credentials. */
const OWN_KEYS = [
  'RUNYARD_API_KEY',
  'RUNYARD_API_KEYS',
  'RUNYARD_DATABASE_URL',
  'RUNYARD_ENCRYPTION_KEY',
  'RUNYARD_ENCRYPTION_KEY_OLD',
] as const

/** Throws `bad_request` as `readUpConfig` does. */
export function readBackupConfig(
  flags: Flags,
  options: { isServe: boolean },
  env: Environment = process.env,
): BackupConfig {
  const read = new Settings(flags, env)
  const to = read.value('RUNYARD_BACKUP_TO') ?? rowOf('RUNYARD_BACKUP_TO').default
  return read.done({ ...readSealedData(read, options.isServe, env), to })
}

/** Throws `bad_request` as `readUpConfig` does. */
export function readRestoreConfig(
  flags: Flags,
  options: { isServe: boolean },
  env: Environment = process.env,
): RestoreConfig {
  const read = new Settings(flags, env)
  return read.done(readSealedData(read, options.isServe, env))
}

function readSealedData(read: Settings, isServe: boolean, env: Environment): RestoreConfig {
  return {
    ...readData(read, isServe),
    encryptionKey: readEncryptionKeys(read, 'RUNYARD_ENCRYPTION_KEY')[0],
    oldEncryptionKeys: readEncryptionKeys(read, 'RUNYARD_ENCRYPTION_KEY_OLD'),
    artifactsPlace: readArtifactsPlace(read, env),
    s3Region: regionOf(env),
  }
}

/** Throws `bad_request` as `readUpConfig` does. */
export function readMoveConfig(
  flags: Flags,
  options: { isServe: boolean },
  env: Environment = process.env,
): MoveConfig {
  const read = new Settings(flags, env)
  return read.done({ ...readData(read, options.isServe), to: read.value('RUNYARD_MOVE_TO') })
}

function readData(read: Settings, isServe: boolean): DataConfig {
  const dataDir = dataDirOf(read, isServe ? 'serve' : 'up')
  return { isServe, dataDir, databaseUrl: read.databaseUrl() }
}

function readDocker(read: Settings, env: Environment): UpConfig['docker'] {
  const host = read.value('RUNYARD_DOCKER_HOST') ?? (env.DOCKER_HOST || undefined)
  if (host !== undefined && !/^(unix:\/\/\/.|(tcp|http):\/\/[^/]+\/?$)/.test(host)) {
    read.problem('RUNYARD_DOCKER_HOST', 'must be unix:///PATH or tcp://HOST:PORT')
  }
  const user = read.value('RUNYARD_DOCKER_USER')
  if (user !== undefined && !/^\d+:\d+$/.test(user)) {
    read.problem('RUNYARD_DOCKER_USER', 'must be UID:GID, in numbers')
  }
  const certs = readDockerCerts(read, host, env)
  const network = read.value('RUNYARD_DOCKER_NETWORK')
  const pullMs = read.number('RUNYARD_PULL_TIMEOUT_SECS') * 1000
  return { host, certs, user, network, pullMs }
}

function dataDirOf(read: Settings, reader: 'up' | 'serve'): string {
  const fallback = rowOf('RUNYARD_DATA_DIR').default[reader]
  return resolve(read.value('RUNYARD_DATA_DIR') ?? fallback)
}

/** A URL from the environment stays there, where other users cannot read it. */
function workerArgsOf({ configPath, dataDir }: ServeConfig, { databaseUrl }: Flags): string[] {
  const where = databaseUrl ? ['--database-url', databaseUrl] : []
  return ['--config', configPath, '--data-dir', dataDir, ...where]
}

/** Variables that builds and agent servers need: paths, locale, proxies, certificates. */
const CHILD_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SSL_CERT_(FILE|DIR)|GIT_SSL_CAINFO|NODE_EXTRA_CA_CERTS|XDG_\w+|(https?|no|all)_proxy|npm_config_(registry|cache|userconfig|globalconfig|cafile|proxy|https_proxy|noproxy))$/i

/** Settings of package indexes for pip and uv. The URLs may contain passwords. */
const BUILD_VARIABLES =
  /^(PIP_(INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS|NO_INDEX|TRUSTED_HOST|CERT|CONFIG_FILE|PROXY|CACHE_DIR|DEFAULT_TIMEOUT)|UV_((DEFAULT_|EXTRA_)?INDEX(_URL|_STRATEGY)?|INDEX_\w+_(USERNAME|PASSWORD)|FIND_LINKS|NO_INDEX|INSECURE_HOST|SYSTEM_CERTS|NATIVE_TLS|CACHE_DIR|CONFIG_FILE|HTTP_\w+|OFFLINE|PYTHON_INSTALL_MIRROR|PYTHON_DOWNLOADS))$/

function childEnvironment(env: Environment): Record<string, string> {
  return { HOME: homedir(), ...matching(env, CHILD_VARIABLES) }
}

function matching(env: Environment, names: RegExp): Record<string, string> {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && names.test(entry[0]),
  )
  return Object.fromEntries(entries)
}
