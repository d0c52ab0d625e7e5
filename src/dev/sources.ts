/** Which files a project depends on, so that a change of them asks for a reload. */
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import type { ProjectConfig } from '../project/config.ts'
import { findTsconfig } from '../project/tsconfig.ts'

const SOURCE = /^\.[cm]?[jt]sx?$/
const CONFIGURATION = /^(tsconfig.*|package)\.json$/
/** What an installed package leaves in an environment of Python; and the environment itself. */
const INSTALLED = /\.(dist-info|pth)$|^\.venv$/

interface DevSourcesOptions {
  /** The project's folder, links resolved. */
  root: string
  /** Never looked into. */
  dataDir: string
  /** Environments of Python that its graphs may run in; absolute, there or not. */
  environments: string[]
}

/**
 * The project's modules as the agent server has reported them, its configuration and its env file.
 * Of a project that could not be loaded not all modules are known: every source file counts then,
 * and every folder, which may be a new one. In Python every source file of the project and of the
 * folders that it depends on counts, and what is installed in its environment.
 */
export class DevSources {
  readonly #options: DevSourcesOptions
  readonly #files = new Set<string>()
  #config: ProjectConfig | undefined
  /** Whether the last load went well. */
  isComplete = false

  constructor(options: DevSourcesOptions) {
    this.#options = options
  }

  /** The configuration as it is now; `undefined` when it cannot be read: the last one holds. */
  configure(config: ProjectConfig | undefined): void {
    this.#config = config ?? this.#config
  }

  add(files: string[]): void {
    for (const file of files) this.#files.add(file)
  }

  /** Whether a change of what lies at the path asks for a reload. */
  has(path: string): boolean {
    const name = basename(path)
    if (this.#files.has(path) || path === this.#config?.envFile) return true
    if (path === this.#config?.path || name === 'langgraph.json') return true
    if (CONFIGURATION.test(name)) return true
    if (this.#config?.python && (name.endsWith('.py') || INSTALLED.test(name))) return true
    return !this.isComplete && (SOURCE.test(extname(name)) || isFolder(path))
  }

  /** Every folder in which such a change can happen, as the folders are now. */
  folders(): Set<string> {
    const { root } = this.#options
    const { path, envFile, graphs = [] } = this.#config ?? {}
    // Graphs need not lie in the project's folder.
    const named = graphs.map(({ file }) => file)
    const files = [...this.#files, path, envFile, ...named, findTsconfig(root)]
    const folders = new Set(files.flatMap((file) => (file ? [dirname(file)] : [])))
    this.#walk(root, folders)
    const { python } = this.#config ?? {}
    for (const one of python?.dependencies ?? []) {
      if (one.kind === 'folder' && !folders.has(one.folder)) this.#walk(one.folder, folders)
    }
    if (python) for (const folder of this.#packageFolders()) folders.add(folder)
    return folders
  }

  /** Where packages are installed to. */
  #packageFolders(): string[] {
    return this.#options.environments.flatMap((environment) => {
      const lib = join(environment, 'lib')
      return entriesOf(lib).map(({ name }) => join(lib, name, 'site-packages'))
    })
  }

  #walk(folder: string, found: Set<string>): void {
    const entries = entriesOf(folder)
    // An environment of Python, whatever it is called.
    if (entries.some(({ name }) => name === 'pyvenv.cfg')) return
    found.add(folder)
    for (const entry of entries) {
      if (!entry.isDirectory() || NO_SOURCES.has(entry.name)) continue
      const path = join(folder, entry.name)
      if (!entry.name.startsWith('.') && path !== this.#options.dataDir) this.#walk(path, found)
    }
  }
}

/** Names of folders that nobody writes sources in. */
const NO_SOURCES = new Set(['node_modules', '__pycache__'])

function isFolder(path: string): boolean {
  if (basename(path).startsWith('.')) return false
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // Removed a moment ago.
    return []
  }
}
