import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { AppError } from '../core/errors.ts'
import type { LogLevel } from '../core/log.ts'
import { createLog, maskSecrets, withoutSecrets } from './log.ts'
import { readableLine, terminalLines } from './readable-log.ts'

describe('the log', () => {
  it('writes one JSON object a line, with the level in words and the time in ISO 8601', () => {
    const { log, lines } = record('info')
    log.info({ run_id: 'r1', attempt: 2 }, 'run taken up')
    log.error({}, 'it broke')
    expect(lines()).toMatchObject([
      { level: 'info', run_id: 'r1', attempt: 2, msg: 'run taken up', pid: process.pid },
      { level: 'error', msg: 'it broke' },
    ])
    expect(lines()[0]?.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('says nothing below its level', () => {
    const { log, lines } = record('warn')
    log.debug({}, 'a')
    log.info({}, 'b')
    log.warn({}, 'c')
    expect(lines().map((line) => line.msg)).toEqual(['c'])
  })

  it('writes what its level is set to later, in its children too', () => {
    const { log, lines } = record('info')
    const child = log.child({ part: 'queue' })
    child.debug({}, 'a')
    log.setLevel('debug')
    child.debug({}, 'b')
    log.setLevel('silent')
    child.error({}, 'c')
    expect(lines().map((line) => line.msg)).toEqual(['b'])
  })

  it('is text where people read it', () => {
    const { log, texts } = record('info')
    log.warn({ n: 1 }, 'hello')
    expect(readableLine(texts()[0] ?? '')).toMatch(/^\d{4}-\S+Z WARN {2}hello \{"n":1\}$/)
    expect(readableLine('a line of a library')).toBe('a line of a library')
  })

  it('is short lines on a terminal: the steps of a rollout, and reasons', () => {
    const { log, texts } = record('debug')
    const moved = (from: string, to: string, message?: string) =>
      log.info(
        { revision_id: 'r1', number: 3, deployment: 'a', from, to, message },
        'revision moved',
      )
    moved('CREATING', 'QUEUED')
    moved('QUEUED', 'AWAITING_BUILD')
    moved('AWAITING_BUILD', 'BUILDING')
    log.info({ revision_id: 'r1' }, 'build succeeded')
    moved('AWAITING_DEPLOY', 'DEPLOYING')
    moved('DEPLOYING', 'DEPLOYED')
    moved('BUILDING', 'BUILD_FAILED', 'install: no such package\nmore')
    log.info({ deployment: 'a', wake_at: null }, 'no requests: it sleeps')
    log.warn({ err: new Error('disk is full'), port: 1 }, 'not written')
    const [at, lines] = [/^\d\d:\d\d:\d\d /, terminalLines()]
    const shown = texts().flatMap((line) => lines(line.trimEnd()) ?? [])
    expect(shown.every((line) => at.test(line))).toBe(true)
    expect(shown.map((line) => line.replace(at, ''))).toEqual([
      'a #3: building …',
      'a #3: starting …',
      'a #3: deployed in 0 s',
      'a #3: build failed: install: no such package',
      'a: no requests: it sleeps (wake_at=null)',
      'warning: not written: disk is full (port=1)',
    ])
    expect(lines('a line of a library')).toBe('a line of a library')
  })

  it('puts a child’s fields on every line of the child and its children', () => {
    const { log, lines } = record('debug')
    log.child({ deployment: 'support' }).child({ revision: 7 }).debug({ port: 1 }, 'started')
    log.info({}, 'elsewhere')
    expect(lines()[0]).toMatchObject({ deployment: 'support', revision: 7, port: 1 })
    expect(lines()[1]).not.toHaveProperty('deployment')
  })

  it('writes errors with type, message, stack, code and causes', () => {
    const { log, lines } = record('info')
    const root = Object.assign(new Error('disk is full'), { code: 'ENOSPC' })
    const err = new AppError('unavailable', 'Not stored.', {
      cause: new TypeError('middle', { cause: root }),
    })
    log.error({ err }, 'failed')
    expect(lines()[0]?.err).toMatchObject({
      type: 'AppError',
      message: 'Not stored.',
      code: 'unavailable',
      stack: expect.stringContaining('log.test.ts'),
      cause: {
        type: 'TypeError',
        message: 'middle',
        cause: { message: 'disk is full', code: 'ENOSPC' },
      },
    })
  })

  it('lets no secret out of fields, a child’s fields, errors or the sentence', () => {
    const { log, text } = record('debug')
    const key = `ry_${'k'.repeat(43)}`
    const cause = Object.assign(new Error(`refused ${key}`), {
      config: { clientSecret: 'hidden-1' },
    })
    log.child({ adminKey: 'hidden-2' }).info(
      {
        headers: { authorization: 'Bearer hidden-3', 'x-api-key': 'hidden-4', accept: 'text/html' },
        err: new Error('call failed', { cause }),
        secrets: [{ name: 'hidden-5', value: 'hidden-6' }],
      },
      `fetching https://user:hidden-7@git.example.com/a.git with ${key}`,
    )
    expect(text()).not.toMatch(/hidden-|kkkk/)
    expect(text()).toContain('text/html')
    expect(text()).toContain('git.example.com/a.git')
  })

  it('goes to standard error, and leaves standard output alone', () => {
    const module = JSON.stringify(new URL('./log.ts', import.meta.url).href)
    const script = `import { createLog } from ${module}
      createLog('info').info({ n: 1 }, 'hello')
      process.exit(0)`
    const limits = { timeout: 30_000, killSignal: 'SIGKILL' } as const
    const ran = spawnSync(process.execPath, ['--input-type=module', '-e', script], limits)
    expect(ran.stdout.toString()).toBe('')
    expect(JSON.parse(ran.stderr.toString())).toMatchObject({ level: 'info', n: 1, msg: 'hello' })
  })
})

/** A log, and the lines that it has written so far. */
function record(level: LogLevel) {
  const written: string[] = []
  const log = createLog(level, { write: (line) => written.push(line) })
  return {
    log,
    lines: () => written.map((line) => JSON.parse(line)),
    texts: () => written,
    text: () => written.join(''),
  }
}

describe('withoutSecrets', () => {
  it.each([
    'api_key',
    'apiKey',
    'X-Api-Key',
    'key',
    'OPENAI_API_KEY',
    'access_token',
    'refreshToken',
    'client_secret',
    'Authorization',
    'set-cookie',
    'password',
    'x-runyard-gateway',
  ])('replaces the text under %s at any depth', (name) => {
    expect(withoutSecrets({ [name]: 'hidden' })).toEqual({ [name]: '[redacted]' })
    expect(withoutSecrets({ a: [{ [name]: ['hidden', { b: 'hidden' }] }] })).toEqual({
      a: [{ [name]: ['[redacted]', { b: '[redacted]' }] }],
    })
  })

  it('replaces what has the shape of a secret, whatever it is called', () => {
    const fields = { list: [`a\nry_${'k'.repeat(43)}`] }
    expect(withoutSecrets(fields)).toEqual({ list: ['a\n[redacted]'] })
  })

  it('keeps numbers, such as a count of tokens or a lease’s token', () => {
    const fields = { max_tokens: 500, lease: { run_id: 'r', token: 3 }, cookie: null }
    expect(withoutSecrets(fields)).toEqual(fields)
  })

  it('keeps other fields as they are, and does not touch the original', () => {
    const fields = { name: 'support', at: new Date(0), list: [1, 'two', false], api_key: 'hidden' }
    expect(withoutSecrets(fields)).toEqual({
      name: 'support',
      at: '1970-01-01T00:00:00.000Z',
      list: [1, 'two', false],
      api_key: '[redacted]',
    })
    expect(fields.api_key).toBe('hidden')
  })

  it('ends on circles, deep nesting, bytes and things without a JSON form', () => {
    const circle: Record<string, unknown> = { name: 'ring' }
    circle.self = circle
    let deep: object = { end: 'reached' }
    for (let level = 0; level < 100; level++) deep = { deep }
    const bytes = new Uint8Array(3)
    const fields = withoutSecrets({ circle, deep, bytes, nothing: { toJSON: () => undefined } })
    expect(fields).toMatchObject({
      circle: { name: 'ring', self: '[left out]' },
      bytes: '[3 bytes]',
      nothing: undefined,
    })
    expect(JSON.stringify(fields)).not.toContain('reached')
  })

  it('says so instead of throwing when the fields cannot be read', () => {
    const fields = {
      get trap() {
        throw new Error('no entry')
      },
    }
    expect(withoutSecrets(fields)).toEqual({ unreadable_fields: 'Error: no entry' })
  })
})

describe('maskSecrets', () => {
  it('leaves out the end of a text of megabytes', () => {
    const masked = maskSecrets('x'.repeat(1024 * 1024))
    expect(masked).toHaveLength(64 * 1024 + '… [983040 more characters]'.length)
    expect(masked.endsWith('x… [983040 more characters]')).toBe(true)
  })

  it.each([
    [`key ry_${'a'.repeat(43)} given`, 'key [redacted] given'],
    ['sk-proj-abcdefghijklmnopqrstuvwx', '[redacted]'],
    ['lsv2_pt_0123456789abcdef0123', '[redacted]'],
    ['ghp_abcdefghijklmnopqrst', '[redacted]'],
    ['authorization: Bearer abc.def-ghi_jkl0', 'authorization: Bearer [redacted]'],
    ['https://user:pass@host/path', 'https://[redacted]@host/path'],
    ['PUT /u/1?expires=9&signature=ab%2Fc HTTP', 'PUT /u/1?expires=9&signature=[redacted] HTTP'],
    ['postgres://u:p@127.0.0.1/db', 'postgres://[redacted]@127.0.0.1/db'],
  ])('masks %s', (text, masked) => {
    expect(maskSecrets(text)).toBe(masked)
  })

  it.each([
    'https://host/@scope/package',
    'ry_short',
    'a bearer of news',
    'basic configuration',
    'a.ts?key',
    'git@host:me/it.git',
  ])('leaves %s alone', (text) => {
    expect(maskSecrets(text)).toBe(text)
  })
})
