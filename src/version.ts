/** Which Runyard this is. */
import { readFileSync } from 'node:fs'

/** The version in `package.json`, which lies one folder up in a clone and two in the package. */
export function readVersion(): string {
  for (const way of ['../package.json', '../../package.json']) {
    const found = versionOf(new URL(way, import.meta.url))
    if (found !== undefined) return found
  }
  return '0.0.0'
}

function versionOf(file: URL): string | undefined {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }).version
  } catch {
    return undefined
  }
}
