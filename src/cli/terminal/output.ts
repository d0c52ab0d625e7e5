/** The output of commands: results go to standard output, everything else to standard error. */
import { stripVTControlCharacters } from 'node:util'
import { statusColour, style } from './style.ts'

/** For people: columns, with their names in the first line. */
export function printTable(columns: string[], rows: string[][]): void {
  const all = [columns.map((name) => style('dim', name)), ...rows]
  const widths = columns.map((_, index) => Math.max(...all.map((row) => widthOf(row[index] ?? ''))))
  for (const row of all) {
    console.log(
      row
        .map((cell, index) => padded(cell, widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
}

/** For people: the facts of one thing, a line each. */
export function printFacts(facts: readonly (readonly [name: string, value: string])[]): void {
  const width = Math.max(...facts.map(([name]) => name.length))
  for (const [name, value] of facts) console.log(`${style('dim', name.padEnd(width))}  ${value}`)
}

/** A status as tables show it. */
export function tableStatus(status: string): string {
  const colour = statusColour(status)
  return colour ? style(colour, status) : status
}

function padded(cell: string, width: number): string {
  return cell + ' '.repeat(width - widthOf(cell))
}

/** The width without colour codes. */
function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length
}

/** For programs: one JSON text. The values of secrets are left out, since output ends up in logs. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, withoutSecretValues, 2))
}

function withoutSecretValues(name: string, value: unknown): unknown {
  if (name !== 'secrets' || !Array.isArray(value)) return value
  return value.map((secret: { name: string }) => ({ name: secret.name }))
}

/** Tells the user what is happening. */
export function say(line: string): void {
  console.error(line)
}

/**
 * Text of an agent, a model or a tool without control characters, which could make a terminal write elsewhere,
 * or change its title or the clipboard.
 */
export function plainText(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, '')
}

/** A moment as tables show it: to the second, in UTC. */
export function shortTime(timestamp: string | null): string {
  return timestamp === null ? '-' : timestamp.slice(0, 19).replace('T', ' ')
}
