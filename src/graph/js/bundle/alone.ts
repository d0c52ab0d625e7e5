/** Whether a bundle runs without the packages that are in it. */
import { readFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import type { ProjectConfig } from '../../../project/config.ts'
import { needOfOutside } from './outside.ts'
import { importedWhenRun } from './places.ts'

/** What a bundle calls the text that names the modules of the project. */
export const ENTRY = 'entry'

/** With these a package starts programs, or loads modules as from a place that it says. */
const OF_PACKAGES = ['child_process', 'cluster', 'module']
/** A worker of the project's runs a file of its own, outside of the bundle. */
const OF_PROJECT = [...OF_PACKAGES, 'worker_threads', 'vm']
/** The project's code names what it would look for there, or gets a module of Node in a way that is not seen. */
const NAMED = /node_modules|getBuiltinModule/

/**
 * They start programs of the machine alone (`git`, `ldd`, a shell, what a cloud's settings name), unless the project itself
 * asks them for more.
 */
const HARMLESS = [
  'langsmith',
  '@anthropic-ai/sdk',
  'google-auth-library',
  '@aws-sdk/credential-provider-process',
  'detect-libc',
]

/**
 * Why the project needs its packages beside the bundle, in words after a colon; `undefined`: it does not. `outside`:
 * the folders of those that are not in it and come along; absolute.
 */
export async function needOfPackages(
  { root, ui, python }: Pick<ProjectConfig, 'root' | 'ui' | 'python'>,
  { inputs, outputs }: Metafile,
  outside: string[],
): Promise<string | undefined> {
  if (ui.components.size > 0) return 'components of "ui" are bundled at the start'
  if (python) return 'a part of it is in Python'
  const bundled = new Set(Object.values(outputs).flatMap((one) => Object.keys(one.inputs)))
  const own = [...bundled].filter((file) => packageOf(file) === undefined && file !== ENTRY)
  const ofOwn = new Set(
    own.flatMap((file) => (inputs[file]?.imports ?? []).map(({ path }) => path)),
  )
  const isAsked = (name: string) => [...ofOwn].some((path) => packageOf(path) === name)
  for (const file of bundled) {
    const name = packageOf(file)
    const modules = name === undefined ? OF_PROJECT : OF_PACKAGES
    const found = (inputs[file]?.imports ?? []).find(({ path }) => isOneOf(path, modules))
    if (found && !(name && HARMLESS.includes(name) && !isAsked(name))) {
      return `${file} imports ${found.path}`
    }
    const way = await importedWhenRun(join(root, file))
    if (way !== undefined) return `${file} may import ${way}`
  }
  for (const file of own) {
    const text = await readFile(join(root, file), 'utf8').catch(() => '')
    const [word] = NAMED.exec(text) ?? []
    if (word !== undefined) return `${file} names ${word}`
  }
  return needOfOutside(root, outside, (folder) => HARMLESS.includes(packageOf(folder) ?? ''))
}

function isOneOf(path: string, modules: string[]): boolean {
  const name = path.replace(/^node:/, '').split('/')[0] ?? ''
  return builtinModules.includes(name) && modules.includes(name)
}

/** The package that the file, or what is imported, belongs to; `undefined`: the project itself. */
function packageOf(path: string): string | undefined {
  return /(?:^|.*\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]
}
