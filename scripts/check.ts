// All checks without running the product: format and lint, types, up-to-date generated files, and the amount
// of code. The import table is a test (test/architecture.test.ts).
import { spawnSync } from 'node:child_process'

const CHECKS: [name: string, command: string, args: string[]][] = [
  ['format and lint', 'biome', ['ci', '--error-on-warnings']],
  ['types', 'tsc', ['-p', '.']],
  ['types of the dashboard', 'tsc', ['-p', 'dashboard']],
  ['generated files', process.execPath, ['scripts/generate.ts', '--check']],
  ['weight', process.execPath, ['scripts/house.ts']],
  ['import table', 'vitest', ['run', 'test/architecture.test.ts', '--reporter=dot']],
]

let failed = 0
for (const [name, command, args] of CHECKS) {
  console.log(`check: ${name}`)
  const { status } = spawnSync(command, args, { stdio: 'inherit' })
  if (status !== 0) {
    failed += 1
    console.error(`check: ${name} FAILED`)
  }
}
console.log(failed === 0 ? 'check: all is well' : `check: ${failed} of ${CHECKS.length} failed`)
process.exitCode = failed === 0 ? 0 : 1
