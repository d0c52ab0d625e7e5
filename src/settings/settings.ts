/** Reads settings from flags and the environment, by their rows. */
import { AppError } from '../core/errors.ts'
import {
  type ConfigOf,
  type Reader,
  type RowOf,
  rowOf,
  SETTINGS,
  type Setting,
  type SettingName,
  type ValueOf,
} from './table.ts'
import { type Environment, TYPES } from './values.ts'

/** The options of the command line. Absent ones were not given. */
export type Flags = Readonly<Record<string, string | undefined>>

/** The settings of one command. It collects their problems. */
export class Settings {
  readonly #flags: Flags
  readonly #env: Environment
  readonly #values = new Map<string, unknown>()
  readonly #problems: string[] = []

  constructor(flags: Flags, env: Environment) {
    this.#flags = flags
    this.#env = env
  }

  /** The fields of all settings that `reader` reads. `defaults`: whose defaults apply. */
  config<R extends Reader>(reader: R, defaults: Reader = reader): ConfigOf<R> {
    const rows: readonly Setting[] = SETTINGS
    const fields = rows.flatMap(({ name, field, readBy }) =>
      field !== undefined && readBy.includes(reader)
        ? [[field, this.get(name as SettingName, defaults)]]
        : [],
    )
    return Object.fromEntries(fields)
  }

  /** The value, or else the default for this reader. A bad value is noted as a problem, and counts as none. */
  get<N extends SettingName>(name: N, reader: Reader = 'up'): ValueOf<RowOf<N>> {
    if (!this.#values.has(name)) this.#values.set(name, this.#read(rowOf(name), reader))
    return this.#values.get(name) as ValueOf<RowOf<N>>
  }

  #read(row: Setting, reader: Reader): unknown {
    const parse = (text: string) => (row.read ?? TYPES[row.type])(text, row, this.#env)
    const given = this.given(row.name as SettingName)
    try {
      if (given) return parse(given[1])
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.problem(given?.[0] ?? row.name, error.message)
    }
    const fallback = defaultFor(row, reader)
    if (fallback !== undefined) return parse(String(fallback))
    return row.type === 'list' || row.type === 'ranges' ? [] : undefined
  }

  /** The value of an option that has no variable. */
  flag(flag: string): string | undefined {
    return this.#flags[flag] || undefined
  }

  /**
   * The text of the flag or variable, after the name under which it was given. `undefined`: there is none, or it is
   * empty.
   */
  given(name: SettingName): [name: string, text: string] | undefined {
    const { flag = '', after }: Setting = rowOf(name)
    const [option = ''] = /--[\w-]+/.exec(flag) ?? []
    const key = option.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
    const value = this.#flags[key]
    if (value) return [option, value]
    const variable = [name, after].find((one) => one !== undefined && this.#env[one])
    return variable === undefined ? undefined : [variable, this.#env[variable] as string]
  }

  /** Adds a problem of the setting with this name. The sentence continues after the name. */
  problem(name: string, sentence: string): void {
    this.#problems.push(`${name}: ${sentence}`)
  }

  /** The configuration, frozen. Throws `bad_request` with all problems, one on each line. */
  done<C>(config: C): Readonly<C> {
    if (this.#problems.length === 0) return Object.freeze(config)
    const list = this.#problems.map((problem) => `  ${problem}`).join('\n')
    throw new AppError('bad_request', `The configuration does not work:\n${list}`)
  }
}

/** The default of a row, where readers differ that of this one. */
export function defaultFor({ default: value }: Setting, reader: Reader) {
  if (typeof value !== 'object') return value
  return value[reader === 'serve' || reader === 'listener' ? reader : 'up'] ?? value.up
}

/** The named variables that are set. */
export function pick(env: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
}
