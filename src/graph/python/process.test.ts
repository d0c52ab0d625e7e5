import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { silentLog } from '../../core/log.ts'
import { HostProcess } from './process.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

/** A host that does what a shell script says. */
async function start(script: string): Promise<HostProcess> {
  const python = join(folder, 'python')
  await writeFile(python, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const program = { python, root: folder, env: { PATH: process.env.PATH ?? '' }, config: {} }
  const parts = {
    ...{ index: 0, onCall: async () => null, onNote: () => {}, onStep: () => {} },
    log: silentLog,
  }
  return new HostProcess(program, parts)
}

it.each([
  ['exit 3', 'has ended with code 3'],
  ['kill -SEGV $$', 'has crashed (SIGSEGV)'],
  ['kill -KILL $$', 'was killed (SIGKILL), perhaps because memory ran out'],
  ['exec 3>&- sleep 60', 'has closed its connection, and was ended'],
  ['echo what is no frame >&3; sleep 60', 'sent an unknown message, and was ended'],
])('that does "%s" %s', async (script, how) => {
  const { ended } = await start(script)
  expect((await ended).message).toBe(`The process of the Python host ${how}.`)
})

it('that the server kills is not said to have run out of memory', async () => {
  const host = await start('sleep 60')
  host.discard()
  expect((await host.ended).message).toBe('The process of the Python host was ended by the server.')
})
