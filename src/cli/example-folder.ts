/** Finds the examples: beside `src/` in a clone, beside `dist/` in the package. */
import { fileURLToPath } from 'node:url'

export function exampleFolder(name: 'agent' | 'python-agent'): string {
  const isCompiled = import.meta.url.endsWith('.js')
  return fileURLToPath(new URL(`${isCompiled ? '../' : ''}../../examples/${name}`, import.meta.url))
}
