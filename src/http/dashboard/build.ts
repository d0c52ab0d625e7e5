/** Finds the built app; in a clone, builds it beside a running server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../core/log.ts'
import type { Absence } from './not-built.ts'

/** How much of a failed build's output is logged, from its end, in characters. */
const LAST_WORDS = 2_000

/** The published package contains the built app; a clone has its sources. */
export interface Home {
  /** The folder of the built files, which may not exist yet. */
  folder: string
  /** The script that builds them. */
  script?: string
}

export function findDashboard(): Home {
  const root = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
  if (!existsSync(root('dashboard/vite.config.ts'))) return { folder: root('dashboard') }
  return { folder: root('dashboard/dist'), script: root('scripts/build-dashboard.ts') }
}

/**
 * Builds the app in a process of its own at low priority, unless its sources have not changed since the last build.
 * Installs the build's packages first, if `npm start` has skipped them. Several servers of one clone take turns.
 */
export class DashboardBuild {
  readonly #home: Home
  readonly #log: Log
  #child: ChildProcess | undefined
  #absence: Absence

  constructor(home: Home, log: Log) {
    this.#home = home
    this.#log = log
    this.#absence = home.script ? 'building' : 'missing'
  }

  /** Why there is no app, as far as known. */
  get absence(): Absence {
    return this.#absence
  }

  start(): void {
    const { script, folder } = this.#home
    if (!script || this.#child) return
    // When this process dies the channel closes, and the build ends with it.
    const child = spawn(process.execPath, [script, '--background', folder], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#child = child
    let said = ''
    const listen = (chunk: Buffer) => {
      said = (said + chunk).slice(-LAST_WORDS)
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    child.on('error', (error) => this.#fail(error.message))
    child.on('exit', (code, signal) => {
      if (code !== 0 && signal === null) this.#fail(said)
    })
  }

  /** Ends a running build: the next start repeats it. */
  async stop(): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }

  #fail(said: string): void {
    this.#absence = 'failed'
    const page = join(this.#home.folder, 'index.html')
    const what = existsSync(page) ? 'the dashboard is not the newest one' : 'there is no dashboard'
    this.#log.error({ said }, `building the dashboard failed, so that ${what}`)
  }
}
