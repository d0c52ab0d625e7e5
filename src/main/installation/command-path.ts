import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The CLI's entry script, in a clone as in the package. */
export function commandPath(): string {
  const isCompiled = import.meta.url.endsWith('.js')
  return fileURLToPath(new URL(`${isCompiled ? '../' : ''}../../../bin/runyard`, import.meta.url))
}

/** The parts of Runyard's own folder that run: not the data folder or other files beside them. */
export function ownPaths(): string[] {
  const root = dirname(dirname(commandPath()))
  const parts = ['bin', 'src', 'dist', 'hosts', 'client', 'node_modules', 'package.json']
  const above = dirname(root)
  const own = parts.map((name) => join(root, name))
  // The published package finds its packages beside itself.
  return basename(above) === 'node_modules' ? [...own, above] : own
}
