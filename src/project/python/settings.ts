/** The Python settings of `langgraph.json`: its version, what is installed, where modules lie. */
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../core/errors.ts'
import { isFolder, isThere } from '../files.ts'
import type { ReadingConfig } from '../module-spec.ts'
import { folderInside, resolveInside } from '../path.ts'

export interface PythonSettings {
  /** `3.11` and the like; `undefined`: not set. */
  version: string | undefined
  /** In the order of the file; empty: files beside `langgraph.json` name them. */
  dependencies: PythonDependency[]
  /** A file of pip's settings; absolute. */
  pipConfigFile: string | undefined
  /** The installer; `auto` is uv. */
  installer: (typeof INSTALLERS)[number]
  /** A project or a workspace of uv that all dependencies come from. */
  source: { root: string; package: string | undefined } | undefined
  /** Folders that modules are imported from, beside installed packages; absolute. */
  paths: string[]
}

type PythonDependency =
  /** Something of a package index, of a repository or at an address, as pip reads it. */
  | { kind: 'requirement'; requirement: string }
  /** A folder with packages to install; `isPackage`: it can be installed itself. */
  | {
      kind: 'folder'
      written: string
      folder: string
      isPackage: boolean
      hasRequirements: boolean
    }

const PYTHON_VERSIONS = ['3.11', '3.12', '3.13', '3.14'] as const
const INSTALLERS = ['auto', 'pip', 'uv'] as const

const VERSION_FORM = `write ${PYTHON_VERSIONS.map((version) => `"${version}"`).join(', ')}`

/** The parts of the file that are about Python. */
export const PYTHON_ENTRIES = {
  python_version: z
    .string(VERSION_FORM)
    // The official images append the name of a distribution.
    .transform((text) => text.replace(/-[a-z]+$/, ''))
    .pipe(z.enum(PYTHON_VERSIONS, VERSION_FORM))
    .nullish(),
  dependencies: z
    .array(z.string().min(1), 'write a list of folders (".") and packages ("langchain>=1")')
    .nullish(),
  pip_config_file: z.string('write the path of a file').nullish(),
  pip_installer: z.enum(INSTALLERS, 'write "auto", "uv" or "pip"').nullish(),
  source: z
    .looseObject({
      kind: z.literal('uv', 'write "uv"'),
      root: z.string('write the path of a folder').nullish(),
      package: z.string('write the name of a package').nullish(),
    })
    .nullish(),
}

const PythonFile = z.object(PYTHON_ENTRIES)

/** Throws `bad_request`. */
export async function readPythonSettings(
  reading: ReadingConfig,
  file: z.infer<typeof PythonFile>,
): Promise<PythonSettings> {
  const dependencies: PythonDependency[] = []
  for (const written of file.dependencies ?? []) {
    dependencies.push(
      written.startsWith('.')
        ? await readFolder(reading, written)
        : { kind: 'requirement', requirement: written },
    )
  }
  const source = await readSource(reading, file)
  return {
    version: file.python_version ?? undefined,
    dependencies,
    pipConfigFile: await readPipConfig(reading, file.pip_config_file),
    installer: file.pip_installer ?? 'auto',
    source,
    paths: await pathsOf(reading.root, dependencies),
  }
}

async function readFolder(reading: ReadingConfig, written: string): Promise<PythonDependency> {
  const { name } = reading
  const folder = await folderInside(reading, written, `${name}: "dependencies"`)
  if (folder === undefined) {
    throw new AppError(
      'bad_request',
      `${name}: "dependencies": there is no folder "${written}"; paths are relative to ${name}.`,
    )
  }
  const [hasProject, hasSetup, hasRequirements] = await Promise.all(
    ['pyproject.toml', 'setup.py', 'requirements.txt'].map((one) => isThere(join(folder, one))),
  )
  const isPackage = hasProject === true || hasSetup === true
  return { kind: 'folder', written, folder, isPackage, hasRequirements: hasRequirements === true }
}

async function readSource(
  reading: ReadingConfig,
  { source, dependencies }: z.infer<typeof PythonFile>,
): Promise<PythonSettings['source']> {
  if (!source) return undefined
  const { root, name } = reading
  if (dependencies && dependencies.length > 0) {
    throw new AppError(
      'bad_request',
      `${name}: "dependencies": with "source" they are those of pyproject.toml and uv.lock; remove it.`,
    )
  }
  const written = source.root ?? '.'
  const folder =
    (await folderInside(reading, written, `${name}: "source.root"`)) ?? resolve(root, written)
  for (const file of ['pyproject.toml', 'uv.lock']) {
    if (await isThere(join(folder, file))) continue
    throw new AppError(
      'bad_request',
      `${name}: "source.root": there is no ${file} in "${written}".`,
    )
  }
  return { root: folder, package: source.package ?? undefined }
}

async function readPipConfig(
  reading: ReadingConfig,
  written: string | null | undefined,
): Promise<string | undefined> {
  if (!written) return undefined
  const { name } = reading
  const path = await resolveInside(reading, written, `${name}: "pip_config_file"`)
  if (path !== undefined) return path
  throw new AppError('bad_request', `${name}: "pip_config_file": there is no file "${written}".`)
}

/**
 * The project's folder, then those of `dependencies` with their `src`. A folder with `__init__.py` is a package itself,
 * which is found in the folder above.
 */
async function pathsOf(root: string, dependencies: PythonDependency[]): Promise<string[]> {
  const paths = [root]
  for (const dependency of dependencies) {
    if (dependency.kind !== 'folder') continue
    const { folder } = dependency
    const src = join(folder, 'src')
    if (dependency.isPackage && (await isFolder(src))) paths.push(src)
    paths.push(folder)
    if (folder !== root && (await isThere(join(folder, '__init__.py')))) paths.push(dirname(folder))
  }
  return [...new Set(paths)]
}
