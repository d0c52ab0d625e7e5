/**
 * Turns environment and flags into one validated, frozen configuration for each command. This is the only file that
 * reads `process.env`. A flag wins over its `RUNYARD_*` variable, the variable over `PORT`, and that over the default
 * in `settings/table.ts`. Fields that come from one setting are named in its row, with their type, bounds and default;
 * the others are made here.
 */
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import {
  readCertificate,
  readControlPlaneKey,
  readHome,
  readListenerKey,
  readUserTokens,
} from './access.ts'
import {
  checkAgentDatabase,
  checkPodsReach,
  readDocker,
  readKubernetes,
  readRegistry,
} from './agents.ts'
import { type Flags, pick, Settings } from './settings.ts'
import { handedOn, secretsOf } from './table.ts'
import { type Environment, regionOf } from './values.ts'

/** How `runyard up` runs: control plane, gateway and deployments on one address. */
export type UpConfig = ReturnType<typeof readUpConfig>

/** How `runyard serve` runs: one agent server without a control plane. */
export type ServeConfig = ReturnType<typeof readServeConfig>

/** How `runyard dev` runs: like `serve`, in a process that it starts again with each change. */
export type DevConfig = ReturnType<typeof readDevConfig>

/** How `runyard listener` runs: agent servers here, by the orders of a remote control plane. */
export type ListenerConfig = ReturnType<typeof readListenerConfig>

/** How commands find a running control plane. */
export type ClientConfig = ReturnType<typeof readClientConfig>

/** Where an installation keeps its data, for `move`, `backup` and `restore`. */
export type DataConfig = Pick<MoveConfig, 'isServe' | 'dataDir' | 'databaseUrl'>
export type MoveConfig = ReturnType<typeof readMoveConfig>
export type BackupConfig = ReturnType<typeof readBackupConfig>
export type RestoreConfig = ReturnType<typeof readRestoreConfig>

/** The input of `runyard artifact fetch` and of `runyard artifact build`. */
export type FetchConfig = ReturnType<typeof readFetchConfig>
export type BuildConfig = ReturnType<typeof readBuildConfig>

/** Throws `bad_request` with every problem of the configuration, one on each line. */
export function readUpConfig(flags: Flags, env: Environment = process.env) {
  const read = new Settings(flags, env)
  const config = read.config('up')
  const registry = readRegistry(read)
  const kubernetes = readKubernetes(read)
  // `DOCKER_HOST` may be set for other programs: it decides nothing.
  const isBuilderNamed = read.given('RUNYARD_DOCKER_HOST')?.[0] === 'RUNYARD_DOCKER_HOST'
  checkAgentDatabase(read)
  checkPodsReach(read)
  return read.done({
    ...config,
    userTokens: readUserTokens(read),
    tls: readCertificate(read),
    registry,
    kubernetes,
    docker: readDocker(read, env),
    /**
     * Whether that engine runs the builds: always with the runtime `docker`; with `kubernetes` if
     * `RUNYARD_DOCKER_HOST` names it and a registry carries its images to the cluster.
     */
    buildsInContainers:
      config.runtime === 'docker' || (kubernetes && registry && isBuilderNamed) === true,
    /** The model keys of the environment, which become secrets of the example. */
    modelKeys: pick(env, ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY']),
    /** The part of the environment that builds and agent servers get. Contains nothing of Runyard's own. */
    childEnv: childEnvironment(env),
    /** The same with the machine's settings of Python package indexes, which only builds get. */
    buildEnv: { ...childEnvironment(env), ...matching(env, BUILD_VARIABLES) },
    /** Further variables of agent servers: the operator's settings for them. */
    agentServerEnv: { ...pick(env, handedOn()), ...pick(env, telemetryIn(env)) },
    /** Whether it runs in a pod, whose log others read too. */
    isInPod: env.KUBERNETES_SERVICE_HOST !== undefined,
  })
}

/** Throws `bad_request` with every problem of the configuration, one on each line. */
export function readListenerConfig(flags: Flags, env: Environment = process.env) {
  const read = new Settings(flags, env)
  const config = read.config('listener')
  if (config.runtime === 'process') {
    read.problem('RUNYARD_RUNTIME', 'must be docker or kubernetes: a listener starts images')
  }
  checkAgentDatabase(read)
  return read.done({
    ...config,
    /** Its control plane. */
    url: read.get('RUNYARD_URL'),
    apiKey: readListenerKey(read),
    tls: readCertificate(read),
    kubernetes: readKubernetes(read),
    docker: readDocker(read, env),
  })
}

/** Throws `bad_request` with every problem of the configuration, one on each line. */
export function readServeConfig(flags: Flags, env: Environment = process.env) {
  const read = new Settings(flags, env)
  const { port, ...config } = read.config('serve')
  const configPath = resolve(read.flag('config') ?? 'langgraph.json')
  const origins = read.get('RUNYARD_ALLOWED_ORIGINS')
  return read.done({
    ...config,
    /** Absolute. */
    configPath,
    // Only monitoring sends requests to a worker, and several on one machine need different ports.
    port: config.role === 'worker' && !read.given('RUNYARD_PORT') ? 0 : port,
    tls: readCertificate(read),
    /** The origins whose pages may call a server without keys; `undefined`: the hosted Studio's. */
    allowedOrigins: read.given('RUNYARD_ALLOWED_ORIGINS') && origins,
    /** Where the `dev` that started it listens; `undefined`: no `dev` did. */
    devHost: env.RUNYARD_DEV_HOST || undefined,
    home: readHome(env),
    workers: readWorkers(read),
    /** The arguments of `serve` for each worker, except the role. A URL from the environment stays there. */
    workerArgs: [
      ...['--config', configPath, '--data-dir', config.dataDir],
      ...(flags.databaseUrl ? ['--database-url', flags.databaseUrl] : []),
    ],
    /** Their environment: this process's, before its project is loaded. */
    workerEnv: givenIn(env),
  })
}

/**
 * How many processes of this server execute runs. Default 1: this process does. Only a server that would execute runs
 * itself may have more.
 */
function readWorkers(read: Settings): number {
  const given = read.flag('workers') ?? '1'
  const isCount = /^[1-9]\d?$/.test(given)
  if (!isCount) read.problem('--workers', `must be a number from 1 to 99, not "${given}"`)
  const workers = isCount ? Number(given) : 1
  if (workers > 1 && read.get('RUNYARD_ROLE') !== 'all') {
    const whose = 'is for a server that executes runs and answers: leave --role away'
    read.problem('--workers', whose)
  }
  return workers
}

/** Throws `bad_request` with every problem of the configuration, one on each line. */
export function readDevConfig(flags: Flags, env: Environment = process.env) {
  const config = readServeConfig(flags, env)
  /** The environment of the process that it starts: this one's, with values of flags added. */
  const childEnv: Readonly<Record<string, string>> = {
    ...config.workerEnv,
    N_JOBS_PER_WORKER: String(config.concurrency),
    RUNYARD_DEV_HOST: config.host,
  }
  return Object.freeze({ ...config, childEnv })
}

/** Throws `bad_request` with every problem of the configuration, one on each line. */
export function readFetchConfig(flags: Flags, env: Environment = process.env) {
  const read = new Settings(flags, env)
  const urls = (env.RUNYARD_ARTIFACT_URL ?? '').split(/\s+/).filter((url) => url !== '')
  if (urls.length === 0 || urls.some((url) => !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))) {
    read.problem('RUNYARD_ARTIFACT_URL', 'must be the http or https address of what to fetch')
  }
  const digest = (env.RUNYARD_ARTIFACT_DIGEST ?? '').replace(/^sha256:/, '').toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(digest)) {
    read.problem('RUNYARD_ARTIFACT_DIGEST', 'must be a SHA-256 in hex, 64 digits')
  }
  return read.done({
    /** At least one. */
    urls,
    /** SHA-256, in hex. */
    digest,
    /** Absolute. */
    into: resolve(flags.into ?? '.'),
    /** The path to search for a Python. */
    path: env.PATH ?? USUAL_PATH,
  })
}

const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin'

/**
 * The input of `runyard artifact build`, with absolute paths: the file of a `BuildTask`, an empty folder, the file that
 * the end is written to, and the path to search for programs.
 */
export function readBuildConfig(
  flags: { task: string; in: string; said: string },
  env: Environment = process.env,
) {
  const { task, in: into, said } = flags
  const path = env.PATH ?? USUAL_PATH
  return Object.freeze({ task: resolve(task), into: resolve(into), said: resolve(said), path })
}

/** Throws `bad_request` with every problem of the configuration, one on each line. */
export function readClientConfig(flags: Flags, env: Environment = process.env) {
  const read = new Settings(flags, env)
  const url = read.get('RUNYARD_URL')
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
  for (const name of secretsOf('serve')) delete process.env[name]
  return Object.assign(process.env, { ...defaults, ...process.env, ...values })
}

/** The variables of this process without the server's own keys: an env file may use them as `${NAME}`. */
export function readEnvironment(): Environment {
  const own = secretsOf('serve')
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.includes(name)))
}

export const readBackupConfig = readerOf('backup')
export const readRestoreConfig = readerOf('restore')
export const readMoveConfig = readerOf('move')

/**
 * `isServe`: of one `serve`, instead of an `up`. `s3Region`: of a bucket whose address names none; `move` does not use it.
 * Throws `bad_request` as `readUpConfig` does.
 */
function readerOf<R extends 'backup' | 'restore' | 'move'>(command: R) {
  return (flags: Flags, { isServe }: { isServe: boolean }, env: Environment = process.env) => {
    const read = new Settings(flags, env)
    const config = read.config(command, isServe ? 'serve' : 'up')
    return read.done({ ...config, isServe, s3Region: regionOf(env) })
  }
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

function telemetryIn(env: Environment): string[] {
  return Object.keys(env).filter((name) => name.startsWith('OTEL_'))
}

function givenIn(env: Environment): Record<string, string> {
  const given = Object.entries(env).filter((entry): entry is [string, string] => !!entry[1])
  return Object.fromEntries(given)
}
