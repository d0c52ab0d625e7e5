import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { hasProgram, runNow } from '../../test/support/processes/program.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { createProcessCommands } from '../build/project-build.ts'
import { DEFAULT_LIMITS, runStep } from '../build/step.ts'
import type { CommandTerms, CommandView } from '../core/deployment/builds/project-commands.ts'
import { silentLog } from '../core/log.ts'
import { openSandbox } from './sandbox.ts'

let above: string
beforeEach(() => {
  above = temporaryFolder()
})

it.skipIf(!hasBubblewrap())(
  'shows of a data folder only what is given, where all around it can be read',
  () => {
    const dataDir = join(above, 'data')
    const source = join(dataDir, 'builds/revisions/r/source')
    mkdirSync(source, { recursive: true })
    for (const [folder, name] of [
      [above, 'program'],
      [dataDir, 'admin.key'],
      [source, 'graph'],
    ] as const)
      writeFileSync(join(folder, name), name)
    const sandbox = openSandbox({
      setting: { mode: 'given', isBubblewrap: true },
      dataDir,
      // The PATH of whoever starts Runyard may have it, or `/opt`.
      readable: [above, process.execPath],
      log: silentLog,
    })
    const home = join(dataDir, 'deployments/d')
    const view = { cwd: '/', readable: [source], writable: [home] }
    const { command } = sandbox.confine(['find', above, '-type', 'f'], view)
    const [file, ...args] = command
    const found = runNow(file, args).trim().split('\n')
    expect(found.toSorted()).toEqual([join(source, 'graph'), join(above, 'program')].toSorted())
  },
)

it.skipIf(!hasBubblewrap())('gives variables to the command alone', async () => {
  const sandbox = openSandbox({
    setting: { mode: 'given', isBubblewrap: true },
    dataDir: join(above, 'data'),
    readable: [process.execPath],
    log: silentLog,
  })
  const commands = createProcessCommands(sandbox)
  // Every program that loads this says that it cannot.
  const variables = { LD_PRELOAD: '/evil.so', A_KEY: 'of $theirs\n' }
  const env = { PATH: process.env.PATH ?? '' }
  const printed: string[] = []
  const context = {
    log: { line: (line: string) => printed.push(line), tail: () => [], close: async () => {} },
    signal: new AbortController().signal,
    limits: DEFAULT_LIMITS,
    env: { ...env, ...variables },
    run: (
      command: readonly [string, ...string[]],
      at: Pick<CommandView, 'cwd' | 'variables'>,
      terms: CommandTerms,
    ) => commands.run(command, { ...at, readable: [], writable: [] }, terms),
  }
  const at = { cwd: '/', limitMs: 60_000, title: 'printenv' }
  await runStep('build', ['printenv', 'A_KEY'], at, context)
  expect(printed.filter((line) => line.includes('/evil.so'))).toHaveLength(1)
  expect(printed).toContain('of $theirs')
})

function hasBubblewrap(): boolean {
  return hasProgram('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true'])
}
