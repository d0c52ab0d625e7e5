import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { startExample } from '../support/processes/example.ts'

/** The clock of each process is about to reach a full minute: crons know no shorter time. */
const preload = pathToFileURL(join(import.meta.dirname, '../support/processes/near-the-minute.mjs'))
const env = {
  RUNYARD_WEBHOOK_ALLOW: 'loopback',
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${preload}`,
}

it('the client of examples/crons prints what its README shows', async () => {
  const example = await startExample('crons', env)
  try {
    expect(await example.run('client.ts')).toBe(example.shown)
  } finally {
    await example.stop()
  }
}, 300_000)
