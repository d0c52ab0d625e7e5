import { fileURLToPath } from 'node:url'

/** The CLI's door, in a clone as in the package. */
export function commandPath(): string {
  const isCompiled = import.meta.url.endsWith('.js')
  return fileURLToPath(new URL(`${isCompiled ? '../' : ''}../../bin/runyard`, import.meta.url))
}

/** The script that bundles a project, in a clone as in the package. */
export function bundleCommandPath(): string {
  const isCompiled = import.meta.url.endsWith('.js')
  return fileURLToPath(new URL(`bundle-command.${isCompiled ? 'js' : 'ts'}`, import.meta.url))
}
