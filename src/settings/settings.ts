/** Reads settings from flags and the environment. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { parseDatabaseUrl } from '../core/database-url.ts'
import { AppError } from '../core/errors.ts'
import { type IpRange, parseIpRange } from '../core/network/ip-range.ts'
import {
  type ChoiceSetting,
  type NumberSetting,
  type Row,
  rowOf,
  type Setting,
  type SettingName,
  type SettingOf,
  type SwitchSetting,
} from './table.ts'

/** The options of the command line. Absent ones were not given. */
export type Flags = Readonly<Record<string, string | undefined>>
export type Environment = Readonly<Record<string, string | undefined>>

/** A number; or `undefined`, when the setting has no default. */
export type NumberOf<N extends NumberSetting> =
  SettingOf<N> extends { default: number } ? number : number | undefined

type ChoiceOf<N extends ChoiceSetting> = Extract<Row, { name: N; type: 'choice' }>['values'][number]

const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Reads settings one by one, and collects their problems. */
export class Settings {
  readonly #flags: Flags
  readonly #env: Environment
  readonly #problems: string[] = []

  constructor(flags: Flags, env: Environment) {
    this.#flags = flags
    this.#env = env
  }

  /** The value of the flag, or else of the variable. `undefined`: neither is set, or it is empty. */
  value(name: SettingName): string | undefined {
    return this.given(name)?.[1]
  }

  /** The value of an option that has no variable. */
  flag(flag: string): string | undefined {
    return this.#flags[flag] || undefined
  }

  /** Reads the port. `PORT`, which many platforms set, counts after our own flag and variable. */
  port(fallback: number): number {
    const platforms: [string, string] = ['PORT', this.#env.PORT || String(fallback)]
    const [name, value] = this.given('RUNYARD_PORT') ?? platforms
    const parsed = z.coerce.number().int().min(0).max(65535).safeParse(value)
    if (parsed.success && /^\d+$/.test(value)) return parsed.data
    this.problem(name, `must be a port number from 0 to 65535, not "${value}"`)
    return fallback
  }

  /** A whole number within the limits of its row. Otherwise the default of the row, if it has one. */
  number<N extends NumberSetting>(name: N): NumberOf<N> {
    const row: Setting = rowOf(name)
    const value = this.value(name)
    if (value === undefined) return row.default as NumberOf<N>
    const { min = 1, max } = row
    const isNumber = /^(0|[1-9]\d{0,14})$/.test(value)
    const isTaken = isNumber && Number(value) >= min && (max === undefined || Number(value) <= max)
    if (isTaken) return Number(value) as NumberOf<N>
    const form = max === undefined ? 'a whole number above 0' : `a number from ${min} to ${max}`
    this.problem(name, `must be ${form}, not "${value}"`)
    return row.default as NumberOf<N>
  }

  /** One of the values in its row, by default the row's default. */
  choice<N extends ChoiceSetting>(name: N): ChoiceOf<N> {
    const { values = [], default: fallback }: Setting = rowOf(name)
    const text = this.value(name)
    if (text === undefined || values.includes(text)) return (text ?? fallback) as ChoiceOf<N>
    this.problem(name, `must be one of ${values.join(', ')}`)
    return fallback as ChoiceOf<N>
  }

  switch(name: SwitchSetting): boolean {
    const value = this.value(name)
    if (value === undefined) return rowOf(name).default
    if (['0', 'false'].includes(value)) return false
    if (['1', 'true'].includes(value)) return true
    this.problem(name, `must be 0 or 1, not "${value}"`)
    return rowOf(name).default
  }

  /** A list separated by commas. Empty when the setting is absent. */
  ranges(variable: SettingName): IpRange[] {
    return splitList(this.#env[variable]).flatMap((text) => {
      const ranges = parseIpRange(text)
      if (!ranges) {
        const form = 'addresses, ranges such as 10.0.0.0/8, loopback or private'
        this.problem(variable, `must be a list of ${form}, not "${text}"`)
      }
      return ranges ?? []
    })
  }

  /** Absolute. */
  path(variable: SettingName): string | undefined {
    const path = this.#env[variable]
    return path ? resolve(path) : undefined
  }

  baseUrl(variable: SettingName): string | undefined {
    const text = this.#env[variable]
    if (!text) return undefined
    return this.asBaseUrl(variable, text)
  }

  /** The URL without a slash at the end. */
  asBaseUrl(name: string, text: string): string {
    if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) {
      this.problem(name, `must be an http or https URL, not "${text}"`)
    }
    return text.replace(/\/+$/, '')
  }

  /** The URL of the database. Its problems are reported without the URL, which holds a password. */
  databaseUrl(): string | undefined {
    const text = this.value('RUNYARD_DATABASE_URL')
    try {
      if (text !== undefined) parseDatabaseUrl(text)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.problem('RUNYARD_DATABASE_URL', error.message)
    }
    return text
  }

  /** The absolute paths of the certificate and its key. Each needs the other. */
  certificate(): { cert: string; key: string } | undefined {
    const [cert, key] = [this.value('RUNYARD_TLS_CERT'), this.value('RUNYARD_TLS_KEY')]
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

  /** The configuration, frozen. Throws `bad_request` with all problems, one on each line. */
  done<C>(config: C): Readonly<C> {
    if (this.#problems.length === 0) return Object.freeze(config)
    const list = this.#problems.map((problem) => `  ${problem}`).join('\n')
    throw new AppError('bad_request', `The configuration does not work:\n${list}`)
  }

  /** The value of the flag or variable, with the name under which the user gave it. */
  given(name: SettingName): [string, string] | undefined {
    const [, option = ''] = /(--[\w-]+)/.exec((rowOf(name) as Setting).flag ?? '') ?? []
    const flag = option.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
    const value = this.#flags[flag]
    if (value) return [option, value]
    const set = this.#env[name]
    return set ? [name, set] : undefined
  }

  /** Adds a problem of the setting with this name. The sentence continues after the name. */
  problem(name: string, sentence: string): void {
    this.#problems.push(`${name}: ${sentence}`)
  }
}

/** The items of a list that is separated by commas. */
export function splitList(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** The named variables that are set. */
export function pick(env: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
}
