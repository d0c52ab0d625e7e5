/** Secrets as the lines of a `.env` file. */
import type { Secret } from '@runyard/client'

const LINE =
  /^\s*(?:export\s+)?([A-Za-z_.-][\w.-]*)\s*=[^\S\n]*(?:"((?:\\.|[^"\\])*)"|'([^']*)'|`([^`]*)`|([^\n#]*))/gm

/** `NAME=value` lines, with or without quotes; a value in quotes may have several lines. */
export function readEnv(text: string): Secret[] {
  const found = new Map<string, string>()
  for (const [, name, double, single, tick, plain] of text.matchAll(LINE)) {
    const quoted = double?.replaceAll('\\n', '\n').replaceAll('\\"', '"') ?? single ?? tick
    if (name) found.set(name, quoted ?? plain?.trim() ?? '')
  }
  return [...found].map(([name, value]) => ({ name, value }))
}
