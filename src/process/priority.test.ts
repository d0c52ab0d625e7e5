import { getPriority } from 'node:os'
import { expect, it } from 'vitest'
import { runNow } from '../../test/support/processes/program.ts'

it('lets every other process come first, with all threads of this one', () => {
  const script = `
import { readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import { comeLast } from ${JSON.stringify(new URL('priority.ts', import.meta.url).href)}
comeLast()
const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [0]
console.log(JSON.stringify(threads.map((thread) => getPriority(thread))))`
  const args = ['--input-type=module', '-e', script]
  const priorities: number[] = JSON.parse(runNow(process.execPath, args))
  expect(new Set(priorities)).toEqual(new Set([Math.max(5, getPriority())]))
})
