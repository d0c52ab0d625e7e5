/**
 * The versions of a project, one after the other.
 *
 * ```
 * loading ──healthy──▶ serving ──a change──▶ loading … the one before serves until the next does
 *    │  ▲
 *    │  └─a change──┐
 *    └──failed──▶ waiting   the one before, if any, goes on serving
 * ```
 */
import { basename, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { FolderArtifact } from '../../core/deployment/artifacts/artifact.ts'
import type {
  Endpoints,
  RuntimeDriver,
  RuntimeSpec,
  RuntimeState,
} from '../../core/deployment/runtime.ts'
import { withReasonFirst } from '../../core/errors.ts'
import type { ProjectConfig } from '../../project/config.ts'
import type { DevSources } from './sources.ts'

/** Pause after the last change, in ms: editors and tools write several files at once. */
const QUIET_MS = 80
/** Time for requests to arrive that were passed to a version just before the switch, in ms. */
const HAND_OVER_MS = 250
/** How long a replaced version may take to end, in ms; its runs get 5 s of it. */
const STOP_GRACE_MS = 10_000

interface ReloadsOptions {
  driver: RuntimeDriver
  sources: DevSources
  /** The project's folder, to which shown paths are relative; absolute. */
  folder: string
  spec: Omit<RuntimeSpec<FolderArtifact>, 'revision_id'>
  /** `undefined` when it cannot be read: the agent server reports the reason. */
  readConfig(): Promise<ProjectConfig | undefined>
  /** Called for each version that serves from now on, and again after its restart. */
  onServing(version: { revision_id: string; endpoints: Endpoints }): void
  /** Called when a version serves for the first time. */
  onFirst(): void
  say(line: string): void
}

export class Reloads {
  readonly #options: ReloadsOptions
  readonly #stopping = new AbortController()
  /** Paths of changes that no version contains yet. */
  readonly #changes = new Set<string>()
  #changeCount = 0
  #onChange: () => void = () => {}
  #serving: string | undefined
  #count = 0
  #done: Promise<unknown> = Promise.resolve()

  constructor(options: ReloadsOptions) {
    this.#options = options
  }

  /** Loads the first version. `follow` is called when the watched folders may have changed. */
  start(follow: () => void): void {
    const { driver, say } = this.#options
    const unsubscribe = driver.onChange((revision_id) => this.#serveAgain(revision_id))
    this.#done = this.#run(follow)
      .catch((error: unknown) => say(`runyard: reloading has ended: ${error}`))
      .finally(unsubscribe)
  }

  /** Notes that something at this path was created, changed or removed. */
  change(path: string): void {
    this.#changes.add(path)
    this.#changeCount += 1
    this.#onChange()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#onChange()
    await this.#done
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  async #run(follow: () => void): Promise<void> {
    const { sources } = this.#options
    while (!this.#isStopping) {
      sources.configure(await this.#options.readConfig())
      follow()
      sources.isComplete = await this.#load()
      follow()
      await this.#quietAfterChange()
    }
  }

  /** Returns whether a new version serves; a further change ends the attempt at once. */
  async #load(): Promise<boolean> {
    const { driver, spec, say } = this.#options
    this.#count += 1
    const revision_id = `dev-${this.#count}`
    const since = performance.now()
    await driver.start({ ...spec, revision_id })
    const state = await Promise.race([this.#settled(revision_id), this.#nextChange()])
    if (state?.kind === 'healthy') {
      this.#switchTo(revision_id)
      if (this.#count > 1) say(`runyard: reloaded in ${Math.round(performance.now() - since)} ms`)
      return true
    }
    await driver.stop(revision_id, 0)
    if (state?.kind === 'failed') say(this.#explain(state.reason))
    return false
  }

  #explain(reason: string): string {
    const until = this.#serving ? 'the version before goes on answering' : 'nothing answers'
    return `runyard: the project could not be loaded. ${firstLine(reason)} Until it is mended, ${until}.`
  }

  #switchTo(revision_id: string): void {
    const previous = this.#serving
    this.#serving = revision_id
    this.#serveAgain(revision_id)
    if (previous) void this.#retire(previous)
    else this.#options.onFirst()
  }

  /** After a switch, and after a restart of the serving version's process. */
  #serveAgain(revision_id: string): void {
    if (revision_id !== this.#serving) return
    const { driver, onServing, say } = this.#options
    const state = driver.observe(revision_id)
    if (state.kind === 'healthy') onServing({ revision_id, endpoints: state.endpoints })
    if (state.kind === 'restarting') say(`runyard: ${firstLine(state.reason)} It is started again.`)
  }

  /** Its runs end or are handed on; cut streams are resumed at the new version. */
  async #retire(revision_id: string): Promise<void> {
    await delay(HAND_OVER_MS, undefined, { signal: this.#stopping.signal }).catch(() => {})
    await this.#options.driver.stop(revision_id, STOP_GRACE_MS)
  }

  #settled(revision_id: string): Promise<RuntimeState> {
    const { driver } = this.#options
    return new Promise((resolve) => {
      const look = () => {
        const state = driver.observe(revision_id)
        if (state.kind === 'starting') return
        unsubscribe()
        resolve(state)
      }
      const unsubscribe = driver.onChange(look)
      look()
    })
  }

  /** Settles at the next relevant change, or when stopped. */
  #nextChange(): Promise<undefined> {
    return new Promise((resolve) => {
      this.#onChange = () => {
        if (this.#isStopping || this.#pending().length > 0) resolve(undefined)
      }
      this.#onChange()
    })
  }

  /** Settles after a relevant change and a pause without changes. */
  async #quietAfterChange(): Promise<void> {
    await this.#nextChange()
    for (let seen = -1; seen !== this.#changeCount && !this.#isStopping; ) {
      seen = this.#changeCount
      await delay(QUIET_MS, undefined, { signal: this.#stopping.signal }).catch(() => {})
    }
    this.#tell()
    this.#changes.clear()
  }

  #tell(): void {
    const names = this.#pending().map((path) => relative(this.#options.folder, path))
    if (names.length > 0) this.#options.say(`runyard: ${names.join(', ')} changed; reloading`)
  }

  #pending(): string[] {
    return [...this.#changes].filter((path) => this.#options.sources.has(path))
  }
}

/** The first line as a sentence, with the reason; the other lines were already printed. */
function firstLine(reason: string): string {
  const [line = ''] = withReasonFirst(reason).split('\n', 1)
  return /[.!?]$/.test(line) ? line : `${line}.`
}

/**
 * How `dev` starts a project: its folder as it is, without a build. `name`: the project's name for the gateway and the
 * driver. Each version adds its id.
 */
export function specOf(
  name: string,
  configPath: string,
): Omit<RuntimeSpec<FolderArtifact>, 'revision_id'> {
  return {
    deployment_id: name,
    deployment_name: name,
    artifact: {
      kind: 'folder',
      id: name,
      node_version: null,
      config_path: basename(configPath),
      bundle: null,
      python: null,
    },
    secrets: [],
    resource_spec: null,
  }
}
