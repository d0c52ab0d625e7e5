import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const module = new URL('stray-errors.ts', import.meta.url).href
const origin = new URL('../../core/origin.ts', import.meta.url).href
const errors = new URL('../../core/errors.ts', import.meta.url).href

/** In a process of its own, since a rejection that nobody handles ends it; answers what it logged. */
async function logOf(code: string): Promise<string> {
  const script = `
    import { setImmediate as turn } from 'node:timers/promises'
    const { StrayRejections } = await import('${module}')
    const { withOrigin } = await import('${origin}')
    const { DatabaseAway } = await import('${errors}')
    const inRun = (work) => withOrigin({ fail: ({ message }) => console.log('ends: ' + message) }, work)
    const strays = new StrayRejections({ error: ({ err }, text) => console.log(text + ': ' + err.message) })
    strays.start()
    ${code}`
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    ...['--input-type=module', '--eval', script],
  ])
  return stdout + stderr
}

const REST = 'await new Promise((resolve) => setTimeout(resolve, 1_100))'

test.concurrent('a promise that nobody looks at is told of, and the process goes on', async () => {
  const log = await logOf(`
    Promise.reject(new Error('lost'))
    ${REST}
    console.log('went on')`)
  expect(log).toBe('a promise rejected unattended: lost\nwent on\n')
})

test.concurrent('of one that somebody looks at a moment later nothing is said', async () => {
  const log = await logOf(`
    const late = Promise.reject(new Error('late'))
    await turn()
    await late.catch(() => {})
    ${REST}
    console.log('went on')`)
  expect(log).toBe('went on\n')
})

test.concurrent('of many that a database which is away has refused the first is told of', async () => {
  const log = await logOf(`
    for (let i = 0; i < 20; i++) Promise.reject(new DatabaseAway('the disk is full'))
    Promise.reject(new DatabaseAway('it cannot be reached'))
    ${REST}`)
  expect(log).toBe(
    'a promise rejected unattended: the disk is full\n' +
      'a promise rejected unattended: it cannot be reached\n',
  )
})

test.concurrent('one that a run has left ends it, unless it is of our own database', async () => {
  const log = await logOf(`
    inRun(() => void Promise.reject(new Error('left')))
    inRun(() => void Promise.reject(new DatabaseAway('away')))
    ${REST}`)
  expect(log).toMatch(/^ends: left$/m)
  expect(log).not.toMatch(/^ends: .*away/m)
})
