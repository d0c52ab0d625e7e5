/**
 * Environment and flags become one validated, frozen configuration. The only file that reads
 * `process.env`. A flag wins over its `RUNYARD_*` variable, that over `PORT`, that over the default.
 */
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import { ROLES, type Role } from './core/api-key.ts'
import { parseDatabaseUrl } from './core/database-url.ts'
import { AppError } from './core/errors.ts'
import { type IpRange, parseIpRange } from './core/ip-range.ts'
import { LOG_LEVELS, type LogLevel } from './core/log.ts'
import { SERVER_ROLES, type ServerRole } from './core/server-role.ts'
import type { UserTokenSettings } from './core/user-token.ts'

/** How `runyard up` runs: control plane, gateway and deployments on one address. */
export interface UpConfig {
  /** `RUNYARD_HOST`, default `127.0.0.1`. */
  readonly host: string
  /** `RUNYARD_PORT`, default 8124; 0 picks a free port. */
  readonly port: number
  /** `RUNYARD_DATA_DIR`, default `./.runyard`; absolute here. */
  readonly dataDir: string
  /** `--database-url` / `RUNYARD_DATABASE_URL`; unset: SQLite in the data folder. */
  readonly databaseUrl: string | undefined
  /** `RUNYARD_ADMIN_KEY`; unset: made at first start and kept in the data folder. */
  readonly adminKey: string | undefined
  /** `RUNYARD_ENCRYPTION_KEY`, 32 bytes; unset: made at first start and kept in the data folder. */
  readonly encryptionKey: Buffer | undefined
  /**
   * `RUNYARD_ENCRYPTION_KEY_OLD`, separated by commas: what is still sealed with them opens, and is
   * sealed anew at the start.
   */
  readonly oldEncryptionKeys: readonly Buffer[]
  /** `RUNYARD_OIDC_*`: whose signed user tokens are taken; unset: nobody's. */
  readonly userTokens: UserTokenSettings | undefined
  /** `RUNYARD_PUBLIC_URL` without a slash at the end; unset: where it listens. */
  readonly publicUrl: string | undefined
  /**
   * `RUNYARD_INTERNAL_URL` without a slash at the end: where other `up` of the same PostgreSQL reach
   * this one; unset: where it listens.
   */
  readonly internalUrl: string | undefined
  /** `RUNYARD_DOMAIN`: a deployment also answers at `<name>.<domain>`; unset: at its path only. */
  readonly domain: string | undefined
  /** `RUNYARD_EXAMPLE`, default on: deploys the example agent on first start. */
  readonly isExampleWanted: boolean
  /** `RUNYARD_BUILD_TIMEOUT_SECS`: how long each command of a build may take; default 900. */
  readonly buildTimeoutMs: number
  /** `RUNYARD_BUILD_MEMORY_MB`: what it may take of memory with all it starts; default 4,096. */
  readonly buildMemoryBytes: number
  /**
   * `RUNYARD_KEPT_REVISIONS`, default 5: how many deployed revisions of a deployment keep their build,
   * so that a rollback to one takes no longer than a process start.
   */
  readonly keptRevisions: number
  /**
   * `RUNYARD_DRAIN_SECS`: how long runs and streams of a replaced revision go on there before they are
   * handed on; default 60.
   */
  readonly drainMs: number
  /** `RUNYARD_IDLE_SECS`: how long nobody asks a deployment with min_scale 0 until it sleeps; default 300. */
  readonly idleMs: number
  /** `RUNYARD_LOG_LEVEL`, default `info`. */
  readonly logLevel: LogLevel
  /** The model keys found in the environment: they become secrets of the example. */
  readonly modelKeys: Readonly<Record<string, string>>
  /** What builds and agent servers get of this process's environment: nothing of Runyard's own. */
  readonly childEnv: Readonly<Record<string, string>>
  /** `RUNYARD_MAX_BODY_BYTES`: the largest request that passes the gateway; unset: 256 MiB. */
  readonly maxBodyBytes: number | undefined
  /** `RUNYARD_MAX_REQUESTS_PER_SECOND`: of one key to the control plane; unset: any number. */
  readonly maxRequestsPerSecond: number | undefined
  /** What agent servers get besides: the settings of this operator that are theirs. */
  readonly agentServerEnv: Readonly<Record<string, string>>
}

/** How `runyard serve` runs: one agent server by itself. */
export interface ServeConfig {
  /** `--config`, default `langgraph.json` in the current folder; absolute here. */
  readonly configPath: string
  /** `--host` / `RUNYARD_HOST`, default `127.0.0.1`. */
  readonly host: string
  /** `--port` / `RUNYARD_PORT` / `PORT`, default 2024; 0 picks a free port. */
  readonly port: number
  /** `--data-dir` / `RUNYARD_DATA_DIR`, default `.runyard/serve`; absolute here. */
  readonly dataDir: string
  /** `RUNYARD_PUBLIC_URL` without a slash at the end; unset: what requests say of themselves. */
  readonly publicUrl: string | undefined
  /** `--database-url` / `RUNYARD_DATABASE_URL`; unset: SQLite in the data folder. */
  readonly databaseUrl: string | undefined
  /** `RUNYARD_API_KEYS`, comma-separated; empty: no key is asked for. */
  readonly apiKeys: readonly string[]
  /** `--n-jobs-per-worker` / `N_JOBS_PER_WORKER`: how many runs execute at once; default 32. */
  readonly concurrency: number
  /** `--role` / `RUNYARD_ROLE`, default `all`. */
  readonly role: ServerRole
  /** `--workers`: how many processes of its own execute runs; default 1: this one does. */
  readonly workers: number
  /** What `serve` is to be given for each of them, the role apart. */
  readonly workerArgs: readonly string[]
  /** `RUNYARD_WEBHOOK_ALLOW`: what webhooks may reach although it is not public. Default: nothing. */
  readonly webhookAllow: readonly IpRange[]
  /** `RUNYARD_WEBHOOK_TIMEOUT_SECS`: how long an attempt may take, in ms here. Default 10 s. */
  readonly webhookTimeoutMs: number
  /** `RUNYARD_MAX_BODY_BYTES`: the largest request that is read; unset: 300 MiB. */
  readonly maxBodyBytes: number | undefined
  /** `RUNYARD_MAX_PENDING_RUNS`: how many runs may wait in all; unset: 100,000. */
  readonly maxPendingRuns: number | undefined
  /** `RUNYARD_MAX_PENDING_RUNS_PER_THREAD`: how many may wait on one thread; unset: 1,000. */
  readonly maxPendingRunsPerThread: number | undefined
  /** `RUNYARD_MAX_REQUESTS_PER_SECOND`: of one key; unset: any number. */
  readonly maxRequestsPerSecond: number | undefined
  /** `RUNYARD_STREAM_BUFFER_BYTES`: what is kept in memory of a run that is followed; unset: 1 MiB. */
  readonly streamBufferBytes: number | undefined
  /** `RUNYARD_LOG_LEVEL`, default `info`. */
  readonly logLevel: LogLevel
}

/** How `runyard dev` runs: as `serve` does, in a process that it starts anew with each change. */
export interface DevConfig extends ServeConfig {
  /** What that process gets: this one's environment, and what only flags said. */
  readonly childEnv: Readonly<Record<string, string>>
}

/** How commands find a running control plane. */
export interface ClientConfig {
  /** `--url` / `RUNYARD_URL`, default `http://127.0.0.1:8124`; without a slash at the end. */
  readonly url: string
  /**
   * `--api-key` / `RUNYARD_API_KEY`, else `admin.key` in the data folder (`RUNYARD_DATA_DIR`, default
   * `./.runyard`): that one only for a control plane on this machine.
   */
  readonly apiKey: string
  /** Where the key was found, in words. */
  readonly keySource: string
}

/** What the command line gave; absent options were not given. */
export type Flags = Readonly<Record<string, string | undefined>>
export type Environment = Readonly<Record<string, string | undefined>>

/** Throws `bad_request` with every problem of the configuration, one a line. */
export function readUpConfig(flags: Flags, env: Environment = process.env): UpConfig {
  const read = new Settings(flags, env)
  const limits = read.agentServerSettings()
  const config: UpConfig = {
    host: read.text('host', 'RUNYARD_HOST') ?? '127.0.0.1',
    port: read.port(8124, ['RUNYARD_PORT', 'PORT']),
    dataDir: resolve(read.text('dataDir', 'RUNYARD_DATA_DIR') ?? '.runyard'),
    databaseUrl: read.databaseUrl(),
    adminKey: read.adminKey(),
    encryptionKey: read.encryptionKeys('RUNYARD_ENCRYPTION_KEY')[0],
    oldEncryptionKeys: read.encryptionKeys('RUNYARD_ENCRYPTION_KEY_OLD'),
    userTokens: read.userTokens(),
    publicUrl: read.publicUrl(),
    internalUrl: read.baseUrl('RUNYARD_INTERNAL_URL'),
    domain: read.domain(),
    isExampleWanted: read.flag('RUNYARD_EXAMPLE', true),
    buildTimeoutMs: read.limit('RUNYARD_BUILD_TIMEOUT_SECS', 900) * 1000,
    buildMemoryBytes: read.limit('RUNYARD_BUILD_MEMORY_MB', 4096) * 1024 ** 2,
    drainMs: read.limit('RUNYARD_DRAIN_SECS', 60) * 1000,
    idleMs: read.limit('RUNYARD_IDLE_SECS', 300) * 1000,
    keptRevisions: read.count(undefined, 'RUNYARD_KEPT_REVISIONS', 5),
    logLevel: read.logLevel(),
    modelKeys: pick(env, ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY']),
    childEnv: childEnvironment(env),
    agentServerEnv: {
      ...pick(env, AGENT_SERVER_VARIABLES),
      ...pick(
        env,
        Object.keys(env).filter((name) => name.startsWith('OTEL_')),
      ),
    },
    maxBodyBytes: limits.maxBodyBytes,
    maxRequestsPerSecond: limits.maxRequestsPerSecond,
  }
  return read.done(config)
}

/** Throws `bad_request` with every problem of the configuration, one a line. */
export function readServeConfig(flags: Flags, env: Environment = process.env): ServeConfig {
  const read = new Settings(flags, env)
  const config: ServeConfig = {
    configPath: resolve(read.text('config') ?? 'langgraph.json'),
    host: read.text('host', 'RUNYARD_HOST') ?? '127.0.0.1',
    port: read.port(2024, ['RUNYARD_PORT', 'PORT']),
    dataDir: resolve(read.text('dataDir', 'RUNYARD_DATA_DIR') ?? '.runyard/serve'),
    publicUrl: read.publicUrl(),
    databaseUrl: read.databaseUrl(),
    apiKeys: splitList(env.RUNYARD_API_KEYS),
    concurrency: read.count('nJobsPerWorker', 'N_JOBS_PER_WORKER', 32),
    ...read.workers(),
    workerArgs: [],
    ...read.agentServerSettings(),
    logLevel: read.logLevel(),
  }
  return read.done({ ...config, workerArgs: workerArgsOf(config, flags) })
}

/** Throws `bad_request` with every problem of the configuration, one a line. */
export function readDevConfig(flags: Flags, env: Environment = process.env): DevConfig {
  const config = readServeConfig(flags, env)
  const given = Object.entries(env).filter((entry): entry is [string, string] => !!entry[1])
  const childEnv = { ...Object.fromEntries(given), N_JOBS_PER_WORKER: String(config.concurrency) }
  return Object.freeze({ ...config, childEnv })
}

/** Throws `bad_request` with every problem of the configuration, one a line. */
export function readClientConfig(flags: Flags, env: Environment = process.env): ClientConfig {
  const read = new Settings(flags, env)
  const url = read.controlPlaneUrl()
  return read.done({ url, ...read.controlPlaneKey(url) })
}

/**
 * Sets variables for the project that this process is about to load: `defaults` where there is
 * nothing yet, `values` over what is there. A process loads one project, so nothing is undone.
 */
export function applyProjectEnvironment(
  defaults: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>>,
): void {
  Object.assign(process.env, { ...defaults, ...process.env, ...values })
}

const GraphConfigs = z.record(z.string(), z.record(z.string(), z.json()))

/**
 * `LANGGRAPH_CONFIG`: what the graphs' own assistants are configured with, a JSON object by graph;
 * unset: nothing. To be read once the project's own environment is in place.
 */
export function readGraphConfigs(env: Environment = process.env): z.infer<typeof GraphConfigs> {
  const text = env.LANGGRAPH_CONFIG
  if (!text) return {}
  try {
    return GraphConfigs.parse(JSON.parse(text))
  } catch (cause) {
    const form = '{"<graph>": {"configurable": {…}}}'
    throw new AppError('bad_request', `LANGGRAPH_CONFIG must be JSON such as ${form}.`, { cause })
  }
}

const DEFAULT_RUN_TIMEOUT_MS = 3_600_000

/**
 * `BG_JOB_TIMEOUT_SECS`, the platform's name for it: how many seconds a run may take, each attempt
 * by itself; unset: 3,600. Answered in ms. To be read once the project's own environment is in
 * place. Throws `bad_request`.
 */
export function readRunTimeoutMs(env: Environment = process.env): number {
  const text = env.BG_JOB_TIMEOUT_SECS
  if (!text) return DEFAULT_RUN_TIMEOUT_MS
  const seconds = Number(text)
  if (seconds > 0 && Number.isFinite(seconds)) return seconds * 1000
  throw new AppError(
    'bad_request',
    `BG_JOB_TIMEOUT_SECS must be a number of seconds above 0, not "${text}".`,
  )
}

const DEFAULT_EVENT_RETENTION_MS = 3_600_000

/**
 * `EVENT_RETENTION_MINUTES`: for how many minutes after the end of a run its streams can be read
 * again; unset: 60. Answered in ms. To be read as the time limit is. Throws `bad_request`.
 */
export function readEventRetentionMs(env: Environment = process.env): number {
  const text = env.EVENT_RETENTION_MINUTES
  if (!text) return DEFAULT_EVENT_RETENTION_MS
  const minutes = Number(text)
  if (minutes > 0 && Number.isFinite(minutes)) return minutes * 60_000
  throw new AppError(
    'bad_request',
    `EVENT_RETENTION_MINUTES must be a number of minutes above 0, not "${text}".`,
  )
}

/**
 * Whether the project's variables ask LangChain to trace to LangSmith. To be read once the project's
 * own environment is in place.
 */
export function readIsLangSmithUsed(env: Environment = process.env): boolean {
  const names = ['LANGSMITH_TRACING', 'LANGCHAIN_TRACING_V2', 'LANGSMITH_TRACING_V2']
  return names.some((name) => env[name] === 'true')
}

/**
 * Whether OpenTelemetry's usual variables say where traces go, and whether they name this service. To
 * be read once the project's own environment is in place.
 */
export function readTracing(env: Environment = process.env): {
  isWanted: boolean
  hasServiceName: boolean
} {
  const isOff = env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none'
  const names = ['ENDPOINT', 'TRACES_ENDPOINT'].map((name) => `OTEL_EXPORTER_OTLP_${name}`)
  const isSomewhere = [...names, 'OTEL_TRACES_EXPORTER'].some((name) => env[name])
  return { isWanted: isSomewhere && !isOff, hasServiceName: !!env.OTEL_SERVICE_NAME }
}

/** The shortest secret that is taken, in bytes; the specification of Standard Webhooks says 24. */
const MIN_WEBHOOK_SECRET_BYTES = 24

/**
 * `RUNYARD_WEBHOOK_SECRET`: what webhooks are signed with, `whsec_` and base64; several, separated by
 * commas, sign side by side. Unset: none. And the variables that header templates may name. To be
 * read once the project's own environment is in place. Throws `bad_request`.
 */
export function readWebhookEnvironment(
  prefix: string,
  env: Environment = process.env,
): { secrets: Buffer[]; env: Record<string, string> } {
  const named = Object.keys(env).filter((name) => name.startsWith(prefix))
  return {
    secrets: splitList(env.RUNYARD_WEBHOOK_SECRET).map(readWebhookSecret),
    env: pick(env, named),
  }
}

function readWebhookSecret(text: string): Buffer {
  const base64 = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(text)?.[1] ?? ''
  const secret = Buffer.from(base64, 'base64')
  if (secret.length >= MIN_WEBHOOK_SECRET_BYTES) return secret
  throw new AppError(
    'bad_request',
    `RUNYARD_WEBHOOK_SECRET must be "whsec_" and at least ${MIN_WEBHOOK_SECRET_BYTES} bytes in ` +
      'base64; make one with: echo whsec_$(openssl rand -base64 32)',
  )
}

const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Reads settings one by one and collects what is wrong with them. */
class Settings {
  readonly #flags: Flags
  readonly #env: Environment
  readonly #problems: string[] = []

  constructor(flags: Flags, env: Environment) {
    this.#flags = flags
    this.#env = env
  }

  text(flag: string, variable?: string): string | undefined {
    return this.#flags[flag] || (variable && this.#env[variable]) || undefined
  }

  port(fallback: number, variables: string[]): number {
    const [name, value] = this.#firstOf('port', variables) ?? ['port', String(fallback)]
    const parsed = z.coerce.number().int().min(0).max(65535).safeParse(value)
    if (parsed.success && /^\d+$/.test(value)) return parsed.data
    this.#problem(name, `must be a port number from 0 to 65535, not "${value}"`)
    return fallback
  }

  count(flag: string | undefined, variable: string, fallback: number): number {
    const value = flag === undefined ? this.#env[variable] || undefined : this.text(flag, variable)
    if (value === undefined) return fallback
    if (/^[1-9]\d{0,3}$/.test(value)) return Number(value)
    this.#problem(variable, `must be a number from 1 to 9999, not "${value}"`)
    return fallback
  }

  limit(variable: string, fallback: number): number {
    const value = this.#env[variable]
    if (!value) return fallback
    if (/^[1-9]\d{0,6}$/.test(value)) return Number(value)
    this.#problem(variable, `must be a number from 1 to 9999999, not "${value}"`)
    return fallback
  }

  flag(variable: string, fallback: boolean): boolean {
    const value = this.#env[variable]
    if (value === undefined || value === '') return fallback
    if (['0', 'false'].includes(value)) return false
    if (['1', 'true'].includes(value)) return true
    this.#problem(variable, `must be 0 or 1, not "${value}"`)
    return fallback
  }

  /** What `serve` reads and `up` hands on to its agent servers: wrong ones are told of at once. */
  agentServerSettings() {
    return {
      webhookAllow: this.#ranges('RUNYARD_WEBHOOK_ALLOW'),
      webhookTimeoutMs: (this.#number('RUNYARD_WEBHOOK_TIMEOUT_SECS') ?? 10) * 1000,
      maxBodyBytes: this.#number('RUNYARD_MAX_BODY_BYTES'),
      maxPendingRuns: this.#number('RUNYARD_MAX_PENDING_RUNS'),
      maxPendingRunsPerThread: this.#number('RUNYARD_MAX_PENDING_RUNS_PER_THREAD'),
      maxRequestsPerSecond: this.#number('RUNYARD_MAX_REQUESTS_PER_SECOND'),
      streamBufferBytes: this.#number('RUNYARD_STREAM_BUFFER_BYTES'),
    }
  }

  #ranges(variable: string): IpRange[] {
    return splitList(this.#env[variable]).flatMap((text) => {
      const ranges = parseIpRange(text)
      if (!ranges) {
        const form = 'addresses, ranges such as 10.0.0.0/8, loopback or private'
        this.#problem(variable, `must be a list of ${form}, not "${text}"`)
      }
      return ranges ?? []
    })
  }

  /** A whole number above 0; `undefined`: it is not set. */
  #number(variable: string): number | undefined {
    const value = this.#env[variable]
    if (value === undefined || value === '') return undefined
    if (/^[1-9]\d{0,14}$/.test(value)) return Number(value)
    this.#problem(variable, `must be a whole number above 0, not "${value}"`)
    return undefined
  }

  logLevel(): LogLevel {
    const value = this.#env.RUNYARD_LOG_LEVEL || 'info'
    const level = LOG_LEVELS.find((one) => one === value)
    if (!level) this.#problem('RUNYARD_LOG_LEVEL', `must be one of ${LOG_LEVELS.join(', ')}`)
    return level ?? 'info'
  }

  adminKey(): string | undefined {
    const key = this.#env.RUNYARD_ADMIN_KEY || undefined
    if (key !== undefined && !/^[\x21-\x7e]{8,512}$/.test(key)) {
      this.#problem('RUNYARD_ADMIN_KEY', 'must be 8 to 512 printable characters without spaces')
    }
    return key
  }

  encryptionKeys(variable: 'RUNYARD_ENCRYPTION_KEY' | 'RUNYARD_ENCRYPTION_KEY_OLD'): Buffer[] {
    const keys = splitList(this.#env[variable]).map((text) => Buffer.from(text, 'base64'))
    for (const { length } of keys) {
      if (length !== 32) this.#problem(variable, `must be 32 bytes in base64, these are ${length}`)
    }
    return keys
  }

  /**
   * `RUNYARD_OIDC_ISSUER` and `RUNYARD_OIDC_AUDIENCE` together; `RUNYARD_OIDC_ROLES` such as
   * `platform=admin,*=viewer` (default: the roles by their own names); `RUNYARD_OIDC_ROLE_CLAIM`,
   * default `roles`; `RUNYARD_OIDC_WORKSPACE_CLAIM`; `RUNYARD_OIDC_CLOCK_SKEW_SECS`, default 30.
   */
  userTokens(): UserTokenSettings | undefined {
    const { RUNYARD_OIDC_ISSUER: issuer, RUNYARD_OIDC_AUDIENCE: audience } = this.#env
    if (!issuer && !audience) return undefined
    if (!issuer || !audience) {
      const missing = issuer ? 'RUNYARD_OIDC_AUDIENCE' : 'RUNYARD_OIDC_ISSUER'
      this.#problem(missing, 'must be set too: an issuer and an audience belong together')
    }
    if (issuer && !isTrustworthy(issuer)) {
      this.#problem('RUNYARD_OIDC_ISSUER', `must be an https URL, not "${issuer}"`)
    }
    return {
      issuer: issuer ?? '',
      audience: audience ?? '',
      roleClaim: this.#env.RUNYARD_OIDC_ROLE_CLAIM || 'roles',
      roles: this.#userRoles(),
      workspaceClaim: this.#env.RUNYARD_OIDC_WORKSPACE_CLAIM || undefined,
      clockSkewMs: this.#clockSkewMs(),
    }
  }

  publicUrl(): string | undefined {
    return this.baseUrl('RUNYARD_PUBLIC_URL')
  }

  baseUrl(variable: string): string | undefined {
    const text = this.#env[variable]
    if (!text) return undefined
    if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) {
      this.#problem(variable, `must be an http or https URL, not "${text}"`)
    }
    return text.replace(/\/+$/, '')
  }

  controlPlaneUrl(): string {
    const [name, text] = this.#given('url', '--url', 'RUNYARD_URL') ?? [
      'RUNYARD_URL',
      'http://127.0.0.1:8124',
    ]
    if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) {
      this.#problem(name, `must be an http or https URL, not "${text}"`)
    }
    return text.replace(/\/+$/, '')
  }

  /** The key of this machine's own installation is never sent to another machine. */
  controlPlaneKey(url: string): { apiKey: string; keySource: string } {
    const given = this.#given('apiKey', '--api-key', 'RUNYARD_API_KEY')
    if (given) return { keySource: given[0], apiKey: this.#asKey(...given) }
    const file = resolve(this.#env.RUNYARD_DATA_DIR || '.runyard', 'admin.key')
    const { hostname = '' } = URL.parse(url) ?? {}
    const isHere = isThisMachine(hostname)
    const apiKey = isHere && existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
    if (apiKey === '') {
      const or = isHere ? `, or run this where the data folder is: there is no ${file}` : ''
      this.#problem('RUNYARD_API_KEY', `is not set, nor is --api-key: set one of them${or}`)
    }
    return { apiKey, keySource: file }
  }

  /** What is wrong with it is told without it: it holds a password. */
  databaseUrl(): string | undefined {
    const text = this.text('databaseUrl', 'RUNYARD_DATABASE_URL')
    try {
      if (text !== undefined) parseDatabaseUrl(text)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.#problem('RUNYARD_DATABASE_URL', error.message)
    }
    return text
  }

  domain(): string | undefined {
    const domain = this.#env.RUNYARD_DOMAIN?.toLowerCase() || undefined
    if (domain !== undefined && !DOMAIN.test(domain)) {
      this.#problem(
        'RUNYARD_DOMAIN',
        `must be a domain such as agents.example.com, not "${domain}"`,
      )
    }
    return domain
  }

  /** Workers of a server's own are for one that would execute runs itself. */
  workers(): Pick<ServeConfig, 'role' | 'workers'> {
    const text = this.text('role', 'RUNYARD_ROLE') ?? 'all'
    const role = SERVER_ROLES.find((one) => one === text)
    if (!role) this.#problem('RUNYARD_ROLE', `must be one of ${SERVER_ROLES.join(', ')}`)
    const given = this.#flags.workers ?? '1'
    const isCount = /^[1-9]\d?$/.test(given)
    if (!isCount) this.#problem('--workers', `must be a number from 1 to 99, not "${given}"`)
    const workers = isCount ? Number(given) : 1
    if (workers > 1 && text !== 'all') {
      this.#problem(
        '--workers',
        'is for a server that executes runs and answers: leave --role away',
      )
    }
    return { role: role ?? 'all', workers }
  }

  done<C>(config: C): Readonly<C> {
    if (this.#problems.length === 0) return Object.freeze(config)
    const list = this.#problems.map((problem) => `  ${problem}`).join('\n')
    throw new AppError('bad_request', `The configuration does not work:\n${list}`)
  }

  #firstOf(flag: string, variables: string[]): [string, string] | undefined {
    const given = this.#flags[flag]
    if (given !== undefined) return [`--${flag}`, given]
    const variable = variables.find((one) => this.#env[one])
    return variable === undefined ? undefined : [variable, this.#env[variable] ?? '']
  }

  #userRoles(): Record<string, Role> {
    const text = this.#env.RUNYARD_OIDC_ROLES
    if (!text) return Object.fromEntries(ROLES.map((role) => [role, role]))
    const pairs = text.split(',').map((pair) => pair.trim().split(/=(?=[^=]*$)/))
    const known = pairs.flatMap(([value, name]): [string, Role][] => {
      const role = ROLES.find((one) => one === name)
      return value && role ? [[value, role]] : []
    })
    if (known.length < pairs.length) {
      const form = `"value=role,…" with roles out of ${ROLES.join(', ')}`
      this.#problem('RUNYARD_OIDC_ROLES', `must be ${form}, not "${text}"`)
    }
    return Object.fromEntries(known)
  }

  #clockSkewMs(): number {
    const text = this.#env.RUNYARD_OIDC_CLOCK_SKEW_SECS || '30'
    if (/^\d{1,3}$/.test(text) && Number(text) <= 300) return Number(text) * 1000
    this.#problem('RUNYARD_OIDC_CLOCK_SKEW_SECS', `must be 0 to 300 seconds, not "${text}"`)
    return 0
  }

  #asKey(name: string, text: string): string {
    const key = text.trim()
    if (!/^[\x21-\x7e]+$/.test(key)) {
      this.#problem(name, 'must be printable characters without spaces')
    }
    return key
  }

  #given(flag: string, option: string, variable: string): [string, string] | undefined {
    const value = this.#flags[flag]
    if (value) return [option, value]
    const set = this.#env[variable]
    return set ? [variable, set] : undefined
  }

  #problem(name: string, sentence: string): void {
    this.#problems.push(`${name}: ${sentence}`)
  }
}

/** A URL from the environment they find there, where others cannot read it. */
function workerArgsOf({ configPath, dataDir }: ServeConfig, { databaseUrl }: Flags): string[] {
  const where = databaseUrl ? ['--database-url', databaseUrl] : []
  return ['--config', configPath, '--data-dir', dataDir, ...where]
}

function splitList(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** Settings of agent servers that whoever runs `up` decides; a project cannot change them. */
const AGENT_SERVER_VARIABLES = [
  'RUNYARD_PUBLIC_URL',
  'RUNYARD_WEBHOOK_ALLOW',
  'RUNYARD_WEBHOOK_TIMEOUT_SECS',
  'RUNYARD_MAX_BODY_BYTES',
  'RUNYARD_MAX_PENDING_RUNS',
  'RUNYARD_MAX_PENDING_RUNS_PER_THREAD',
  'RUNYARD_MAX_REQUESTS_PER_SECOND',
  'RUNYARD_STREAM_BUFFER_BYTES',
]

function isThisMachine(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

/** What comes in plain text proves nothing, unless it comes from this machine. */
function isTrustworthy(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isThisMachine(url.hostname))
}

function pick(env: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
}

/** What a build or an agent server needs of the machine: paths, locale, proxies, certificates. */
const CHILD_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SSL_CERT_(FILE|DIR)|GIT_SSL_CAINFO|NODE_EXTRA_CA_CERTS|XDG_\w+|(https?|no|all)_proxy|npm_config_(registry|cache|userconfig|globalconfig|cafile|proxy|https_proxy|noproxy))$/i

function childEnvironment(env: Environment): Record<string, string> {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && CHILD_VARIABLES.test(entry[0]),
  )
  return { HOME: homedir(), ...Object.fromEntries(entries) }
}
