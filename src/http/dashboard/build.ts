/** Finds the built app; in a clone, builds it beside a running server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../core/log.ts'
import { pageHeaders } from './policy.ts'

/** The exit code of `scripts/build-dashboard.ts` if the app is built and only other packages are missing. */
const REST_FAILED = 3
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
 * Afterwards that process installs the packages that `npm start` has skipped. Several servers of one clone take turns.
 */
export class DashboardBuild {
  readonly #home: Home
  readonly #log: Log
  readonly #built = Promise.withResolvers<void>()
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

  /** Settles when there is an app, of this build or an earlier one, or none is to be expected. */
  async whenThere(): Promise<void> {
    if (this.#child && !existsSync(join(this.#home.folder, 'index.html'))) await this.#built.promise
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
    child.on('message', () => this.#built.resolve())
    child.on('error', (error) => this.#fail(error.message))
    child.on('exit', (code, signal) => {
      if (code === REST_FAILED) {
        this.#log.warn({ said }, 'the packages that only some settings need could not be installed')
      } else if (code !== 0 && signal === null) this.#fail(said)
      this.#built.resolve()
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
    this.#built.resolve()
    const page = join(this.#home.folder, 'index.html')
    const what = existsSync(page) ? 'the dashboard is not the newest one' : 'there is no dashboard'
    this.#log.error({ said }, `building the dashboard failed, so that ${what}`)
  }
}

// The page while the app is not built. It goes on to the app by itself, at the same URL with its `#` part, so that
// a sign-in link keeps its code. Without scripts it reloads itself.

/** Why there is no app. */
export type Absence = 'building' | 'failed' | 'missing'

const TEXTS: Readonly<Record<Absence, string>> = {
  building:
    'The dashboard is being built, as after each change of its sources. This page goes on to it by itself.',
  failed:
    'The dashboard could not be built: the log of Runyard says why. Everything else works; ' +
    'the command line can do all that the dashboard can.',
  missing:
    'The dashboard has not been built. In a clone, start Runyard with "npm start", or run ' +
    '"npm run build --prefix dashboard".',
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.6 system-ui, sans-serif }
body { min-height: 90vh; margin: 0; padding: 24px; display: grid; place-items: center }
main { max-width: 32rem }
h1 { font-size: 1.2rem } p { opacity: .8 }`

const RELOAD_SECONDS = { building: 2, failed: 30, missing: 10 } as const

/** Fetches the page repeatedly, and loads it as soon as it has changed. */
const SCRIPT = `
const ask = async () => {
  const { status } = await fetch(location.pathname, { headers: { accept: 'text/html' } })
    .catch(() => ({ status: 503 }))
  if (status === 503) setTimeout(ask, document.body.dataset.every * 1000)
  else location.reload()
}
setTimeout(ask, 1000)
`

export function answerNotBuilt(absence: Absence, nonce: string): Response {
  const seconds = RELOAD_SECONDS[absence]
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Runyard</title>
<style nonce="${nonce}">${STYLE}</style>
<noscript><meta http-equiv="refresh" content="${seconds}"></noscript>
</head>
<body data-every="${seconds}">
<main>
<h1>Runyard is running</h1>
<p>${TEXTS[absence]}</p>
<p>The API answers meanwhile: see <a href="docs">its documentation</a>.</p>
</main>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`
  const headers = { ...pageHeaders(nonce, { isScriptInside: true }), 'cache-control': 'no-store' }
  return new Response(body, {
    status: 503,
    headers: { ...headers, 'retry-after': String(seconds) },
  })
}
