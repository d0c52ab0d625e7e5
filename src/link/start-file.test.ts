import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { endTogether } from '../../test/support/processes/end-together.ts'

const MODULE = new URL('start-file.ts', import.meta.url).href
const START = {
  ...{ type: 'start', deployment_id: 'd', deployment_name: 'n', revision_id: 'r' },
  ...{ gatewayToken: 't', secrets: { KEY: 'ü'.repeat(100_000) } },
}
/** To look at the stream has its pipe not wait, as engines hand it over. */
const READ = `
  process.stdin
  const { readStartFile } = await import('${MODULE}')
  console.error('reading')
  console.log(readStartFile('/dev/stdin').secrets.KEY.length)
`

test('what comes over standard input may come later, and in parts', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', READ])
  endTogether(child, 'SIGKILL')
  const said = text(child.stdout)
  await once(child.stderr, 'data')
  const message = Buffer.from(JSON.stringify(START))
  child.stdin.write(message.subarray(0, 150_001))
  child.stdin.end(message.subarray(150_001))
  expect(await said).toBe('100000\n')
})
