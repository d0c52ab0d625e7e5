/** Says which tests are running when none has ended for a while: a run that hangs names what it hangs in. */
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** How long nothing has to end until it is told, and told again; in ms. */
const SILENCE_MS = 60_000

interface Begun {
  name: string
  /** ms since 1970 */
  at: number
}

export default class StillRunning implements Reporter {
  readonly #silenceMs: number
  /** By the module's id: its file, and its tests that have begun. */
  readonly #files = new Map<string, Begun>()
  readonly #tests = new Map<string, Begun>()
  #timer: NodeJS.Timeout | undefined

  constructor({ silenceMs = SILENCE_MS }: { silenceMs?: number } = {}) {
    this.#silenceMs = silenceMs
  }

  onTestRunStart(): void {
    this.#timer = setInterval(() => this.#tell(), this.#silenceMs)
  }

  onTestModuleQueued(module: TestModule): void {
    const name = `${module.project.name} ${module.relativeModuleId}`.trim()
    this.#files.set(module.id, { name, at: Date.now() })
  }

  onTestCaseReady(test: TestCase): void {
    this.#tests.set(test.id, { name: `  ${test.fullName}`, at: Date.now() })
  }

  onTestCaseResult(test: TestCase): void {
    this.#tests.delete(test.id)
    this.#timer?.refresh()
  }

  onTestModuleEnd(module: TestModule): void {
    for (const test of module.children.allTests()) this.#tests.delete(test.id)
    this.#files.delete(module.id)
    this.#timer?.refresh()
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer)
  }

  #tell(): void {
    const lines = [...this.#files.values(), ...this.#tests.values()].map(
      ({ name, at }) => `  ${name} (${Math.round((Date.now() - at) / 1_000)} s)`,
    )
    const silence = Math.round(this.#silenceMs / 1_000)
    console.log([`no test has ended for ${silence} s; these are running:`, ...lines].join('\n'))
  }
}
