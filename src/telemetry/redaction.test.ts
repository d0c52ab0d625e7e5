import { describe, expect, it } from 'vitest'
import { maskSecrets, withoutSecrets } from './redaction.ts'

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
