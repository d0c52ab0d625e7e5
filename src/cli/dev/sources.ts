/** The files that a project depends on, and their changes: each makes a reload. */
import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import type { ProjectConfig } from '../../project/config.ts'
import { findTsconfig } from '../../project/tsconfig.ts'

const SOURCE = /^\.[cm]?[jt]sx?$/
const CONFIGURATION = /^(tsconfig.*|package)\.json$/
/** Traces of installed packages in a Python environment, and the environment itself. */
const INSTALLED = /\.(dist-info|pth)$|^\.venv$/

interface DevSourcesOptions {
  /** The project's folder, links resolved. */
  root: string
  /** Never searched. */
  dataDir: string
  /** Python environments that its graphs may run in; absolute, may not exist. */
  environments: string[]
}

/**
 * The project's modules as the agent server has reported them, its configuration and its env file.
 * After a failed load not all modules are known: then every source file counts, and every folder, which
 * may be new. In Python every source file of the project and of the folders that it depends on counts,
 * and every package in its environment.
 */
export class DevSources {
  readonly #options: DevSourcesOptions
  readonly #files = new Set<string>()
  #config: ProjectConfig | undefined
  /** Whether the last load succeeded. */
  isComplete = false

  constructor(options: DevSourcesOptions) {
    this.#options = options
  }

  /** Sets the present configuration; `undefined`: it cannot be read, and the last one stays. */
  configure(config: ProjectConfig | undefined): void {
    this.#config = config ?? this.#config
  }

  add(files: string[]): void {
    for (const file of files) this.#files.add(file)
  }

  /** Whether a change at the path makes a reload. */
  has(path: string): boolean {
    const name = basename(path)
    if (this.#files.has(path) || path === this.#config?.envFile) return true
    if (path === this.#config?.path || name === 'langgraph.json') return true
    if (CONFIGURATION.test(name)) return true
    if (this.#config?.python && (name.endsWith('.py') || INSTALLED.test(name))) return true
    return !this.isComplete && (SOURCE.test(extname(name)) || isFolder(path))
  }

  /** Every existing folder in which such a change can happen. */
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

  /** The folders of installed packages. */
  #packageFolders(): string[] {
    return this.#options.environments.flatMap((environment) => {
      const lib = join(environment, 'lib')
      return entriesOf(lib).map(({ name }) => join(lib, name, 'site-packages'))
    })
  }

  #walk(folder: string, found: Set<string>): void {
    const entries = entriesOf(folder)
    // A Python environment of any name.
    if (entries.some(({ name }) => name === 'pyvenv.cfg')) return
    found.add(folder)
    for (const entry of entries) {
      if (!entry.isDirectory() || NO_SOURCES.has(entry.name)) continue
      const path = join(folder, entry.name)
      if (!entry.name.startsWith('.') && path !== this.#options.dataDir) this.#walk(path, found)
    }
  }
}

/** Names of folders that never contain sources. */
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

/**
 * Watches folders, not files: a watch on a file ends when an editor saves by replacing the file. One by
 * one, not recursively: on Linux Node would visit `node_modules` and hold a watch on each of its folders.
 * For a known module graph, no library is needed.
 */
export class FolderWatch {
  readonly #onChange: (path: string) => void
  readonly #watchers = new Map<string, FSWatcher>()

  /** `onChange` gets the path of each file or folder that was created, changed or removed. */
  constructor(onChange: (path: string) => void) {
    this.#onChange = onChange
  }

  /** From now on watches exactly these folders, except missing ones. */
  follow(folders: ReadonlySet<string>): void {
    for (const folder of this.#watchers.keys()) if (!folders.has(folder)) this.#leave(folder)
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#enter(folder)
  }

  stop(): void {
    this.follow(new Set())
  }

  #enter(folder: string): void {
    try {
      const watcher = watch(folder, (_event, name) => {
        if (name !== null) this.#onChange(join(folder, name))
      })
      watcher.on('error', () => this.#leave(folder))
      this.#watchers.set(folder, watcher)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }

  #leave(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }
}
