/** Whether a bundle runs without the packages that are in it. */
import { readdir, readFile, realpath } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import type { Metafile } from 'esbuild'
import type { ProjectConfig } from '../../../project/config.ts'
import { importedWhenRun } from './places.ts'
import { findInstalled } from './resolve.ts'

/** The name of a bundle's entry text, which lists the project's modules. */
export const ENTRY = 'entry'

/** Node modules with which a package starts programs, or loads modules as if from another path. */
const OF_PACKAGES = ['child_process', 'cluster', 'module']
/** The project's workers run their own file, outside of the bundle. */
const OF_PROJECT = [...OF_PACKAGES, 'worker_threads', 'vm']
/** Matches project code that names `node_modules`, or gets a Node module in a way that the bundler cannot see. */
const NAMED = /node_modules|getBuiltinModule/

/**
 * Packages that only start programs of the machine (`git`, `ldd`, a shell, what a cloud's settings name), unless the
 * project itself asks them for more.
 */
const HARMLESS = [
  'langsmith',
  '@anthropic-ai/sdk',
  'google-auth-library',
  '@aws-sdk/credential-provider-process',
  'detect-libc',
]

/**
 * Why the project needs its packages beside the bundle, as words after a colon; `undefined`: it does not. `outside`:
 * the absolute folders of packages that ship unbundled.
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

/** The package of the file or import; `undefined`: the project itself. */
function packageOf(path: string): string | undefined {
  return /(?:^|.*\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]
}

const IMPORT = /(?:\bfrom|\brequire\(|\bimport\()\s*["']((?:@[\w.-]+\/)?\.?[\w-][\w.-]*)/g

const PROGRAMS = /["'](?:node:)?(?:child_process|cluster)["']/

/**
 * Returns `<file> imports <name>` for an import that starts programs, or of a package that is installed but not a
 * declared dependency, as `@prisma/client` imports its generated one. `undefined`: none. `folders`: the packages with
 * all their dependencies; absolute, links resolved. `mayStart`: whether programs that a package starts are ignored.
 */
async function needOfOutside(
  root: string,
  folders: string[],
  mayStart: (folder: string) => boolean,
): Promise<string | undefined> {
  const isAmong = (path: string) =>
    folders.some((folder) => path === folder || path.startsWith(folder + sep))
  for (const folder of folders) {
    const names = await readdir(folder, { recursive: true })
    for (const name of names.filter((one) => /\.[cm]?js$/.test(one))) {
      const file = join(folder, name)
      // A folder may have such a name.
      const text = await readFile(file, 'utf8').catch(() => '')
      const [program] = (!mayStart(folder) && PROGRAMS.exec(text)) || []
      const found = program ?? (await findUndeclared(file, text, isAmong))
      if (found !== undefined) return `${relative(root, file)} imports ${found}`
    }
  }
  return undefined
}

async function findUndeclared(
  file: string,
  text: string,
  isAmong: (path: string) => boolean,
): Promise<string | undefined> {
  for (const name of new Set([...text.matchAll(IMPORT)].map(([, one = '']) => one))) {
    const found = findInstalled(dirname(file), name)
    if (found && !isAmong(await realpath(found))) return name
  }
  return undefined
}
