import { describe, expect, it } from 'vitest'
import { BuildError } from '../../core/deployment/builds/build.ts'
import { describeBuildFailure, MAX_MESSAGE_BYTES, statusMessage } from './failure.ts'

describe('a status message', () => {
  it('names the step, the cause and the last lines of the log', () => {
    const error = new BuildError('install', 'npm ci ended with code 1', {
      logTail: ['npm error 404', 'npm error gone'],
    })
    expect(describeBuildFailure(error)).toBe(
      'install: npm ci ended with code 1\nnpm error 404\nnpm error gone',
    )
  })

  it('tells an error of another kind as it is', () => {
    expect(describeBuildFailure(new Error('disk full'))).toBe('build: disk full')
    expect(describeBuildFailure('no')).toBe('build: no')
  })

  it.each([
    [
      'start: ./agent.ts could not be loaded: Error: Transform failed with 1 error:\n/a.ts:1:2: ERROR: Expected ";"\n    at x',
      'start: ./agent.ts could not be loaded: Error: Transform failed with 1 error: /a.ts:1:2: ERROR: Expected ";"\n    at x',
    ],
    [
      'start: ./agent.py cannot be loaded.\nTraceback (most recent call last):\n  File "agent.py", line 1\nKeyError: \'LIMIT\'',
      "start: ./agent.py cannot be loaded: KeyError: 'LIMIT'\nTraceback (most recent call last):\n  File \"agent.py\", line 1\nKeyError: 'LIMIT'",
    ],
    ['install: failed:\n', 'install: failed:\n'],
    ['build: it failed.\nError: x', 'build: it failed.\nError: x'],
  ])('says in its first line why: %s', (text, message) => {
    expect(statusMessage(text, [])).toBe(message)
  })

  it('hides a line of a secret that is moved up', () => {
    const secrets = [{ name: 'CREDENTIALS', value: '{\n    "key": "sk-abc"\n}' }]
    expect(statusMessage('install: failed:\n    "key": "sk-abc"', secrets)).not.toContain('sk-abc')
  })

  it('shows no value of a secret, the longest first', () => {
    const secrets = [
      { name: 'A', value: 'sk-1234' },
      { name: 'B', value: 'sk-1234-long' },
      { name: 'PEM', value: 'BEGIN\nabcdef\nEND' },
      { name: 'SHORT', value: 'a' },
    ]
    expect(statusMessage('sk-1234-long sk-1234 then abcdef', secrets)).toBe('*** *** then ***')
  })

  it('shows none within JSON either, where quotes, backslashes and more are escaped', () => {
    const value = 'pass"word\\of\tÄnne'
    const secrets = [{ name: 'A', value }]
    const written = JSON.stringify({ value })
    expect(statusMessage(written, secrets)).toBe('{"value":"***"}')
    expect(statusMessage(JSON.stringify({ line: written }), secrets)).toContain('\\"***\\"')
    expect(statusMessage(written.replace('Ä', '\\u00c4'), secrets)).toBe('{"value":"***"}')
  })

  it('has no NUL, which programs print and PostgreSQL does not keep', () => {
    expect(statusMessage('it died:\0 of sk-\x001234', [{ name: 'A', value: 'sk-1234' }])).toBe(
      'it died: of ***',
    )
  })

  it('shows no credentials of a URL', () => {
    expect(statusMessage('fetch https://me:token@example.org/a failed', [])).toBe(
      'fetch https://***@example.org/a failed',
    )
  })

  it('keeps the beginning and the end of what is too long, in whole characters', () => {
    const text = `install: failed\n${'é'.repeat(5000)}\nthe cause`
    const message = statusMessage(text, [])
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(MAX_MESSAGE_BYTES)
    expect(message).toMatch(/^install: failed\n/)
    expect(message).toMatch(/the cause$/)
    expect(message).not.toContain('\uFFFD')
  })
})
