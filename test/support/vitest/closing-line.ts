/** Ends a test run with one line that scripts can read: `N passed, N failed, N skipped`. */
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** With FAIL_SKIPPED_TESTS=1 in the environment, as in CI, a skipped test is a failed one. */
const FAIL_SKIPPED = process.env.FAIL_SKIPPED_TESTS === '1'

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const inState = (state: string) => tests.filter((test) => test.result().state === state)
    const broken = modules.filter((module) => module.errors().length > 0).length
    const passed = inState('passed').length
    const failed = inState('failed').length + broken + unhandled.length
    const skipped = inState('skipped')
    const refused = FAIL_SKIPPED ? skipped : []
    const left = skipped.length - refused.length
    process.on('exit', () => {
      if (refused.length > 0) process.exitCode = 1
      for (const test of refused) console.log(`skipped, which is a failure here: ${nameOf(test)}`)
      console.log(`${passed} passed, ${failed + refused.length} failed, ${left} skipped`)
    })
  }
}

function nameOf(test: TestCase): string {
  const result = test.result()
  const note = result.state === 'skipped' ? result.note : undefined
  return `${test.module.relativeModuleId} > ${test.fullName}${note ? ` (${note})` : ''}`
}
