/** Ends a test run with one line that scripts can read: `N passed, N failed, N skipped`. */
import type { Reporter, TestModule } from 'vitest/node'

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    const broken = modules.filter((module) => module.errors().length > 0).length
    const failed = count('failed') + broken + unhandled.length
    const line = `${count('passed')} passed, ${failed} failed, ${count('skipped')} skipped`
    process.on('exit', () => console.log(line))
  }
}
