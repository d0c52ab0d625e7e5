/** Settings, from flags and the environment, read one by one. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { ROLES, type Role } from './core/api-key.ts'
import { parseDatabaseUrl } from './core/database-url.ts'
import { AppError } from './core/errors.ts'
import { type IpRange, parseIpRange } from './core/ip-range.ts'
import { LOG_LEVELS, type LogLevel } from './core/log.ts'
import { SERVER_ROLES, type ServerRole } from './core/server-role.ts'
import type { UserTokenSettings } from './core/user-token.ts'

/** What the command line gave; absent options were not given. */
export type Flags = Readonly<Record<string, string | undefined>>
export type Environment = Readonly<Record<string, string | undefined>>

const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Reads settings one by one and collects what is wrong with them. */
export class Settings {
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
  workers(): { role: ServerRole; workers: number } {
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

/** What stands between commas. */
export function splitList(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function isThisMachine(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

/** What comes in plain text proves nothing, unless it comes from this machine. */
function isTrustworthy(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isThisMachine(url.hostname))
}

/** Those of the variables that are set. */
export function pick(env: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
}
