/** The table of settings for docs/settings.md and for the help of the commands. */
import { defaultFor } from './settings.ts'
import { type Reader, rowOf, SETTINGS, type Setting, type SettingName } from './table.ts'

const ALL: readonly Setting[] = SETTINGS

const READERS: Record<Reader, string> = {
  up: '`up`',
  serve: '`serve`, `dev`',
  project: "agent servers, also in a project's own `env`",
  commands: 'commands',
  listener: '`listener`',
  move: '`move`',
  backup: '`backup`',
  restore: '`restore`',
}

/** The page with the current table between its two marker comments. */
export function withSettingsTable(page: string): string {
  const place = /(<!-- settings:.*-->\n)[\s\S]*(<!-- \/settings -->)/
  return page.replace(place, (_, begin, end) => `${begin}\n${settingsTable()}\n\n${end}`)
}

/** The table in Markdown, with its head. */
function settingsTable(): string {
  const rows = ALL.map((row) =>
    [
      `\`${row.name}\``,
      defaultOf(row),
      row.readBy.map((one) => READERS[one]).join(', '),
      row.meaning,
    ].join(' | '),
  )
  const lines = ['variable | default | read by | meaning', '---|---|---|---', ...rows]
  return lines.map((line) => (line.startsWith('---') ? `|${line}|` : `| ${line} |`)).join('\n')
}

/** The flags and the description of an option, for commander. */
export function optionOf(name: SettingName, reader: Reader): [flags: string, description: string] {
  const row: Setting = rowOf(name)
  return [
    row.flag ?? '',
    `${plain(row.meaning)} (${name}; default: ${plain(defaultOf(row, reader))})`,
  ]
}

/** Names and descriptions of what a reader takes only from the environment, given its flags. */
export function variablesOf(
  readers: readonly Reader[],
  flags: readonly string[],
): [name: string, description: string][] {
  return ALL.filter(({ readBy }) => readBy.some((one) => readers.includes(one)))
    .filter(({ flag }) => !flags.some((one) => flag?.includes(`${one} `)))
    .map((row) => [
      row.name,
      `${plain(row.meaning)} (default: ${plain(defaultOf(row, readers[0]))})`,
    ])
}

/** The default in Markdown: for one reader where readers differ, otherwise for all. */
function defaultOf(row: Setting, reader?: Reader): string {
  const { default: all, unit, unset } = row
  if (all === undefined) return unset ?? 'none'
  if (typeof all === 'object' && reader === undefined) {
    const { up, serve, listener } = all
    const ofListener = listener === undefined ? '' : `; \`listener\`: \`${listener}\``
    return `\`${up}\` (\`serve\`, \`dev\`: \`${serve}\`${ofListener})`
  }
  const value = defaultFor(row, reader ?? 'up')
  const text = typeof value === 'boolean' ? String(Number(value)) : String(value)
  return `\`${text}\`${unit ? ` ${unit}` : ''}`
}

/** The text without Markdown. A link becomes its text. */
function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '')
}
