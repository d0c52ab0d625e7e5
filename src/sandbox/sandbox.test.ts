import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { silentLog } from '../core/log.ts'
import { openSandbox } from './sandbox.ts'

let above: string
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'runyard-view-'))
})
afterEach(() => rmSync(above, { recursive: true }))

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
      // As the PATH of who starts Runyard may have it, or `/opt`.
      readable: [above, process.execPath],
      log: silentLog,
    })
    const home = join(dataDir, 'deployments/d')
    const view = { cwd: '/', readable: [source], writable: [home] }
    const { command } = sandbox.confine(['find', above, '-type', 'f'], view)
    const [file, ...args] = command
    const found = execFileSync(file, args).toString().trim().split('\n')
    expect(found.toSorted()).toEqual([join(source, 'graph'), join(above, 'program')].toSorted())
  },
)

function hasBubblewrap(): boolean {
  try {
    execFileSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true'], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}
