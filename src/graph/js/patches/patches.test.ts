import { expect, it } from 'vitest'
import { runNow } from '../../../../test/support/processes/program.ts'

const FOUND = `
const { applyPatches } = await import(process.env.PATCHES_MODULE)
const { silentLog } = await import(process.env.LOG_MODULE)
const own = { race: Promise.race, values: crypto.getRandomValues }
applyPatches(silentLog, JSON.parse(process.env.OFF))
console.log(JSON.stringify({
  'promise-race': Promise.race !== own.race,
  'random-values': crypto.getRandomValues !== own.values,
  loopback: Symbol.for('langgraph_api:fetch') in globalThis,
  'sdk-logger': Symbol.for('langgraph.api.sdk-logger') in globalThis,
}))`

/** Which patches a process has that makes all but these. */
function patched(off: readonly string[]): string[] {
  const env = {
    ...process.env,
    PATCHES_MODULE: new URL('patches.ts', import.meta.url).href,
    LOG_MODULE: new URL('../../../core/log.ts', import.meta.url).href,
    OFF: JSON.stringify(off),
  }
  const printed = runNow(process.execPath, ['--input-type=module', '-e', FOUND], { env })
  return Object.entries(JSON.parse(printed)).flatMap(([name, isMade]) => (isMade ? [name] : []))
}

const GLOBALS = ['promise-race', 'random-values', 'loopback', 'sdk-logger']

it('patches the globals of a project', () => {
  expect(patched([])).toEqual(GLOBALS)
})

it.each(GLOBALS)('leaves out %s', (name) => {
  expect(patched([name])).toEqual(GLOBALS.filter((one) => one !== name))
})

it('leaves out the classes of LangGraph too', async () => {
  const { applyPatches, isPatched } = await import('./patches.ts')
  const { silentLog } = await import('../../../core/log.ts')
  applyPatches(silentLog, ['serializer'])
  expect([isPatched('serializer'), isPatched('node-work')]).toEqual([false, true])
  applyPatches(silentLog, [])
  expect(isPatched('serializer')).toBe(true)
})
