/** What a project's author types to add packages to it. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Files that package managers leave in a `node_modules` that they installed. */
const MARKS = [
  ['.modules.yaml', 'pnpm add'],
  ['.yarn-integrity', 'yarn add'],
  ['.yarn-state.yml', 'yarn add'],
] as const

/**
 * The install command of the package manager that installed the packages of this project file; npm's if that is
 * unknown.
 */
export function installCommand(file: string, packages: string[]): string {
  const folders = createRequire(file).resolve.paths(packages[0] ?? '') ?? []
  const installed = folders.find((folder) => existsSync(folder))
  const mark = installed && MARKS.find(([name]) => existsSync(join(installed, name)))
  return [mark?.[1] ?? 'npm install', ...packages].join(' ')
}
