/** Notices changes of files. */
import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'

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
