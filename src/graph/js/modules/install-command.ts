/** What a project's author types to add packages to it. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** What the package managers leave in a `node_modules` that they have installed. */
const MARKS = [
  ['.modules.yaml', 'pnpm add'],
  ['.yarn-integrity', 'yarn add'],
  ['.yarn-state.yml', 'yarn add'],
] as const

/**
 * The command of the package manager that has installed the packages of this file of a project; of npm
 * where that cannot be told.
 */
export function installCommand(file: string, packages: string[]): string {
  const folders = createRequire(file).resolve.paths(packages[0] ?? '') ?? []
  const installed = folders.find((folder) => existsSync(folder))
  const mark = installed && MARKS.find(([name]) => existsSync(join(installed, name)))
  return [mark?.[1] ?? 'npm install', ...packages].join(' ')
}
