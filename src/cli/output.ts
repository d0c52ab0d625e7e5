/** The output of commands: results go to standard output, everything else to standard error. */

/** For people: columns, with their names in the first line. */
export function printTable(columns: string[], rows: string[][]): void {
  const all = [columns, ...rows]
  const widths = columns.map((_, index) => Math.max(...all.map((row) => row[index]?.length ?? 0)))
  for (const row of all) {
    const line = row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')
    console.log(line.trimEnd())
  }
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

/** A moment as tables show it: to the second, in UTC. */
export function shortTime(timestamp: string | null): string {
  return timestamp === null ? '-' : timestamp.slice(0, 19).replace('T', ' ')
}
