/** Settings, from flags and the environment, read one by one. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { parseDatabaseUrl } from '../core/database-url.ts'
import { AppError } from '../core/errors.ts'
import { type IpRange, parseIpRange } from '../core/ip-range.ts'
import { LOG_LEVELS, type LogLevel } from '../core/log.ts'

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

  /** `undefined`: it is not set, or empty. */
  variable(name: string): string | undefined {
    return this.#env[name] || undefined
  }

  text(flag: string, variable?: string): string | undefined {
    return this.#flags[flag] || (variable && this.#env[variable]) || undefined
  }

  port(fallback: number, variables: string[]): number {
    const [name, value] = this.#firstOf('port', variables) ?? ['port', String(fallback)]
    const parsed = z.coerce.number().int().min(0).max(65535).safeParse(value)
    if (parsed.success && /^\d+$/.test(value)) return parsed.data
    this.problem(name, `must be a port number from 0 to 65535, not "${value}"`)
    return fallback
  }

  count(flag: string | undefined, variable: string, fallback: number): number {
    const value = flag === undefined ? this.#env[variable] || undefined : this.text(flag, variable)
    if (value === undefined) return fallback
    if (/^[1-9]\d{0,3}$/.test(value)) return Number(value)
    this.problem(variable, `must be a number from 1 to 9999, not "${value}"`)
    return fallback
  }

  limit(variable: string, fallback: number): number {
    const value = this.#env[variable]
    if (!value) return fallback
    if (/^[1-9]\d{0,6}$/.test(value)) return Number(value)
    this.problem(variable, `must be a number from 1 to 9999999, not "${value}"`)
    return fallback
  }

  flag(variable: string, fallback: boolean): boolean {
    const value = this.#env[variable]
    if (value === undefined || value === '') return fallback
    if (['0', 'false'].includes(value)) return false
    if (['1', 'true'].includes(value)) return true
    this.problem(variable, `must be 0 or 1, not "${value}"`)
    return fallback
  }

  /** Separated by commas; none where it is not set. */
  ranges(variable: string): IpRange[] {
    return splitList(this.#env[variable]).flatMap((text) => {
      const ranges = parseIpRange(text)
      if (!ranges) {
        const form = 'addresses, ranges such as 10.0.0.0/8, loopback or private'
        this.problem(variable, `must be a list of ${form}, not "${text}"`)
      }
      return ranges ?? []
    })
  }

  /** A whole number above 0; `undefined`: it is not set. */
  number(variable: string): number | undefined {
    const value = this.#env[variable]
    if (value === undefined || value === '') return undefined
    if (/^[1-9]\d{0,14}$/.test(value)) return Number(value)
    this.problem(variable, `must be a whole number above 0, not "${value}"`)
    return undefined
  }

  logLevel(): LogLevel {
    const value = this.#env.RUNYARD_LOG_LEVEL || 'info'
    const level = LOG_LEVELS.find((one) => one === value)
    if (!level) this.problem('RUNYARD_LOG_LEVEL', `must be one of ${LOG_LEVELS.join(', ')}`)
    return level ?? 'info'
  }

  baseUrl(variable: string): string | undefined {
    const text = this.#env[variable]
    if (!text) return undefined
    return this.asBaseUrl(variable, text)
  }

  /** Without a slash at the end. */
  asBaseUrl(name: string, text: string): string {
    if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) {
      this.problem(name, `must be an http or https URL, not "${text}"`)
    }
    return text.replace(/\/+$/, '')
  }

  /** What is wrong with it is told without it: it holds a password. */
  databaseUrl(): string | undefined {
    const text = this.text('databaseUrl', 'RUNYARD_DATABASE_URL')
    try {
      if (text !== undefined) parseDatabaseUrl(text)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.problem('RUNYARD_DATABASE_URL', error.message)
    }
    return text
  }

  /** The paths of the certificate and its key, absolute; one is nothing without the other. */
  certificate(): { cert: string; key: string } | undefined {
    const [cert, key] = [this.variable('RUNYARD_TLS_CERT'), this.variable('RUNYARD_TLS_KEY')]
    if (cert !== undefined && key !== undefined) return { cert: resolve(cert), key: resolve(key) }
    if (key !== undefined) this.problem('RUNYARD_TLS_CERT', 'has to be set with RUNYARD_TLS_KEY')
    if (cert !== undefined) this.problem('RUNYARD_TLS_KEY', 'has to be set with RUNYARD_TLS_CERT')
    return undefined
  }

  domain(): string | undefined {
    const domain = this.#env.RUNYARD_DOMAIN?.toLowerCase() || undefined
    if (domain !== undefined && !DOMAIN.test(domain)) {
      this.problem('RUNYARD_DOMAIN', `must be a domain such as agents.example.com, not "${domain}"`)
    }
    return domain
  }

  /** The configuration that was read, frozen; throws `bad_request` with all problems, one a line. */
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

  /** The flag's or else the variable's value, with the name that the user knows it by. */
  given(flag: string, option: string, variable: string): [string, string] | undefined {
    const value = this.#flags[flag]
    if (value) return [option, value]
    const set = this.#env[variable]
    return set ? [variable, set] : undefined
  }

  /** What is wrong with the setting of this name, in the words that follow the name. */
  problem(name: string, sentence: string): void {
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

/** Those of the variables that are set. */
export function pick(env: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
}
