/** Writes down the files whose tests have failed, so that `.ci/run` can look at them once more. */
import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

export default class FailedFiles implements Reporter {
  readonly #path: string | undefined

  /** `path`: where to, `PROJECT<tab>FILE` a line. Default: the variable FAILED_FILES; without it, nowhere. */
  constructor({ path = process.env.FAILED_FILES }: { path?: string } = {}) {
    this.#path = path
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    // An error of no test has no file that could be looked at.
    if (!this.#path || unhandled.length > 0) return
    const failed = modules.filter((module) => !module.ok())
    const lines = failed.map(
      ({ project, relativeModuleId }) => `${project.name}\t${relativeModuleId}\n`,
    )
    writeFileSync(this.#path, lines.join(''))
  }
}
