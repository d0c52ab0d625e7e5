/** Finds the folder that `runyard deploy` sends. */
import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, parse, relative, resolve, sep } from 'node:path'
import { AppError } from '../../core/errors.ts'
import { type ProjectConfig, readProjectConfig } from '../../project/config.ts'
import { isThere } from '../../project/files.ts'
import { isJavascript } from '../../project/module-spec.ts'
import { isMissing, isOutside } from '../../project/path.ts'
import { findWorkspace, foldersAbove } from '../../project/workspace.ts'

export interface SentFolder {
  /** Absolute, links resolved. */
  folder: string
  /** The path to its `langgraph.json` from there, with slashes. */
  configPath: string
  /** Notes on the choice for the user; a sentence each. */
  notes: string[]
}

/**
 * With `config` (relative to `dir`): the lowest folder with everything that this `langgraph.json` needs: the paths that
 * it names, and its npm workspace; never more than the repository. Without: `dir`, as it is. Throws `bad_request`.
 */
export async function findSentFolder(
  dir: string | undefined,
  config: string | undefined,
): Promise<SentFolder> {
  if (config !== undefined) return findNeeded(dir, resolve(dir ?? '.', config))
  const folder = await realFolder(resolve(dir ?? '.'))
  const workspace = await findWorkspace(folder, await topOf(folder))
  const way = relative(process.cwd(), join(folder, 'langgraph.json'))
  const notes = workspace
    ? [
        `${folder} is a part of the ${workspace.manager} workspace ${workspace.folder}, and is sent without the rest of it. ` +
          `To send all: runyard deploy --config ${way}`,
      ]
    : []
  return { folder, configPath: 'langgraph.json', notes }
}

async function findNeeded(dir: string | undefined, configPath: string): Promise<SentFolder> {
  const config = await readProjectConfig(configPath, { isBuilt: false })
  const { root } = config
  const top = await topOf(root)
  const workspace = await findWorkspace(root, top)
  const named = namedBy(config)
  const packageFolder = isJsUsed(config) ? await findPackage(root, top) : undefined
  const needed = [root, ...named, ...(workspace ? [workspace.folder] : [])]
  if (dir !== undefined) needed.push(await realFolder(resolve(dir)))
  if (packageFolder !== undefined) needed.push(packageFolder)
  const folder = needed.reduce(commonFolder)
  checkNotTooMuch(folder, top, config)
  const beside = [...new Set(named.filter((one) => isOutside(root, one)))]
  const notes = [
    ...beside.map((one) => `${wayFrom(folder, config.path)} needs ${wayFrom(folder, one)}.`),
    ...(workspace
      ? [
          `${wayFrom(folder, root)} is a part of the ${workspace.manager} workspace ${workspace.folder}.`,
        ]
      : []),
  ]
  return { folder, configPath: wayFrom(folder, config.path), notes }
}

/** All files and folders that the configuration names, except its env file, which is not sent. */
function namedBy({ root, graphs, auth, http, ui, store, python }: ProjectConfig): string[] {
  const specs = [...graphs, auth, http.app, ...ui.components.values(), store.index?.module]
  const files = specs.flatMap((spec) => (spec?.file === undefined ? [] : [spec.file]))
  const embed = /^(\..+\.[cm]?[jt]sx?):/.exec(store.index?.embed ?? '')?.[1]
  const folders = python?.dependencies.flatMap((one) => (one.kind === 'folder' ? [one.folder] : []))
  return [
    ...files,
    ...(embed === undefined ? [] : [join(root, embed)]),
    ...(folders ?? []),
    ...(python?.source ? [python.source.root] : []),
    ...(python?.pipConfigFile === undefined ? [] : [python.pipConfigFile]),
  ]
}

function isJsUsed({ graphs, python }: ProjectConfig): boolean {
  return !python || graphs.some(isJavascript)
}

/** Where its packages are installed: the nearest folder with a `package.json`. */
async function findPackage(root: string, top: string): Promise<string | undefined> {
  for (const folder of [root, ...foldersAbove(root, top)]) {
    if (await isThere(join(folder, 'package.json'))) return folder
  }
  return undefined
}

/** The top of the git repository, or of the file system. */
async function topOf(folder: string): Promise<string> {
  const { root } = parse(folder)
  for (const one of [folder, ...foldersAbove(folder, root)]) {
    if (await isThere(join(one, '.git'))) return one
  }
  return root
}

/** The lowest folder with both. A folder contains itself; a file counts as its folder. */
function commonFolder(one: string, other: string): string {
  return isOutside(one, other) ? commonFolder(dirname(one), other) : one
}

/** A path that leads far up must not send a person's whole home. */
function checkNotTooMuch(folder: string, top: string, { path }: ProjectConfig): void {
  const isAboveRepository = folder !== top && !isOutside(folder, top)
  const isHome = !isOutside(folder, homedir())
  if (!isAboveRepository && !isHome) return
  throw new AppError(
    'bad_request',
    `${path} names paths that only ${folder} has all of, which is ${isAboveRepository ? `more than the repository ${top}` : 'too much to be sent'}: ` +
      'put what it needs below one folder.',
  )
}

function wayFrom(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/') || '.'
}

async function realFolder(path: string): Promise<string> {
  return realpath(path).catch((cause) => {
    if (!isMissing(cause)) throw cause
    throw new AppError('bad_request', `There is no folder ${path}.`, { cause })
  })
}
