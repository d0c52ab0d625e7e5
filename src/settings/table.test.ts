/** Every setting that is read is in the table, and every setting in the table is read and documented. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AppError } from '../core/errors.ts'
import {
  readBackupConfig,
  readClientConfig,
  readListenerConfig,
  readMoveConfig,
  readRestoreConfig,
  readServeConfig,
  readUpConfig,
} from './config.ts'
import { withSettingsTable } from './documentation.ts'
import { type Reader, SETTINGS, type Setting } from './table.ts'

const ALL: readonly Setting[] = SETTINGS
const root = resolve(import.meta.dirname, '../..')
/** `dev` passes it to the `serve` that it starts. */
const INTERNAL = 'RUNYARD_DEV_HOST'
const OIDC = { RUNYARD_OIDC_ISSUER: 'https://id.example', RUNYARD_OIDC_AUDIENCE: 'here' }

/** The variables that the function reads. `given`: those that are set. `serve` copies all that are set for its workers. */
function readsOf(
  read: (env: Record<string, string>) => unknown,
  given: Record<string, string>,
): string[] {
  const names = new Set<string>()
  const get = (env: Record<string, string>, name: string) => {
    names.add(name)
    return env[name]
  }
  try {
    read(new Proxy<Record<string, string>>({ ...given }, { get }))
  } catch (error) {
    // A command without a key is refused after everything is read.
    if (!(error instanceof AppError)) throw error
  }
  return [...names].filter(isOurs).toSorted()
}

const isOurs = (name: string) =>
  name !== INTERNAL && (name.startsWith('RUNYARD_') || ALL.some((row) => row.name === name))

const namesFor = (reader: Reader) =>
  ALL.flatMap(({ name, readBy }) => (readBy.includes(reader) ? [name] : [])).toSorted()

describe('the table of settings', () => {
  it.each<[Reader, (env: Record<string, string>) => unknown]>([
    ['up', (env) => readUpConfig({}, env)],
    ['serve', (env) => readServeConfig({}, env)],
    ['listener', (env) => readListenerConfig({}, env)],
    ['commands', (env) => readClientConfig({}, env)],
    ['move', (env) => readMoveConfig({}, { isServe: false }, env)],
    ['backup', (env) => readBackupConfig({}, { isServe: false }, env)],
    ['restore', (env) => readRestoreConfig({}, { isServe: false }, env)],
  ])('has what %s reads, no more and no less', (reader, read) => {
    expect(readsOf(read, reader === 'up' ? OIDC : {})).toEqual(namesFor(reader))
  })

  it('has what is read of a project’s environment', () => {
    const files = ['variables', 'sections'].map((name) => resolve(root, `src/project/${name}.ts`))
    const source = files.map((file) => readFileSync(file, 'utf8')).join('')
    const [otel, ...others] = namesFor('project').toSorted((one) =>
      one.startsWith('OTEL') ? -1 : 1,
    )
    expect(otel).toMatch(/^OTEL_/)
    for (const name of others) expect(source).toContain(name)
  })

  it('is that of docs/settings.md', () => {
    const page = readFileSync(resolve(root, 'docs/settings.md'), 'utf8')
    expect(withSettingsTable(page)).toBe(page)
    for (const { name } of ALL) expect(page).toContain(`| \`${name}\` |`)
  })

  it('has each setting once', () => {
    expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length)
  })
})

it.each([readUpConfig, readListenerConfig, readServeConfig])(
  '$name shows no secret in its refusal',
  (read) => {
    const secrets = ALL.filter(({ isSecret }) => isSecret).map(({ name }) => [
      name,
      'a hushed word',
    ])
    const refused = { RUNYARD_PORT: 'none', ...Object.fromEntries(secrets) }
    expect(() => read({}, { ...OIDC, ...refused })).toThrow(/^(?!.*hushed).*RUNYARD_DATABASE_URL/s)
  },
)

it.each(ALL.filter(({ type, readBy }) => type === 'number' && readBy.includes('up')))(
  '$name is taken from its smallest to its largest',
  ({ name, min = 1, max }) => {
    const read = (value: number) => readUpConfig({}, { ...OIDC, [name]: String(value) })
    expect(() => read(min)).not.toThrow()
    expect(() => read(min - 1)).toThrow(`${name}: must be`)
    if (max === undefined) return
    expect(() => read(max)).not.toThrow()
    expect(() => read(max + 1)).toThrow(`${name}: must be a number from ${min} to ${max}`)
  },
)
