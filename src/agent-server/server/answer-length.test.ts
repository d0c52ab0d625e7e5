import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { announcesLength, holdToLength } from './answer-length.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

function answer(pieces: Uint8Array[], headers: Record<string, string>): Response {
  return new Response(ReadableStream.from(pieces), { headers })
}

describe('an answer', () => {
  it.each([
    { length: '5', pieces: ['he', 'llo'], sent: 'hello', told: [] },
    { length: '5', pieces: ['hello', ' world'], sent: 'hello', told: [] },
    { length: '5', pieces: ['hel', 'lo world'], sent: 'hello', told: [{ announced: 5, sent: 11 }] },
    { length: '9', pieces: ['hello'], sent: 'hello', told: [{ announced: 9, sent: 5 }] },
    { length: '0', pieces: ['hello'], sent: '', told: [] },
    { length: '5, 5', pieces: ['hello', '!'], sent: 'hello!', told: [] },
    { length: '-1', pieces: ['hello'], sent: 'hello', told: [] },
  ])('that announces $length and has $pieces is sent as "$sent"', async (given) => {
    const onOther = vi.fn()
    const whole = answer(given.pieces.map(bytes), { 'content-length': given.length })
    const held = await holdToLength(whole, onOther)
    expect(await held.text()).toBe(given.sent)
    expect(onOther.mock.calls.flat()).toEqual(given.told)
  })

  it.each([
    { encoding: 'gzip', body: gzipSync('hello'), isKept: true },
    { encoding: 'gzip', body: bytes('hello'), isKept: false },
    { encoding: 'br', body: brotliCompressSync('hello'), isKept: true },
    { encoding: 'br', body: bytes('{"hello": "world"}'), isKept: false },
    { encoding: 'of-tomorrow', body: bytes('hello'), isKept: true },
  ])('in $encoding keeps that only if it is ($isKept)', async ({ encoding, body, isKept }) => {
    const length = String(isKept ? body.length : 3)
    const whole = answer([body], { 'content-encoding': encoding, 'content-length': length })
    const held = await holdToLength(whole, vi.fn())
    expect(held.headers.get('content-encoding')).toBe(isKept ? encoding : null)
    expect(held.headers.has('content-length')).toBe(isKept)
    expect(Buffer.from(await held.arrayBuffer())).toEqual(Buffer.from(body))
  })

  it.each([
    { status: 200, length: null },
    { status: 304, length: '9' },
  ])('without a body announces one only with 304 ($status)', async ({ status, length }) => {
    const headers = { 'content-length': '9' }
    const held = await holdToLength(new Response(null, { status, headers }), vi.fn())
    expect(held.headers.get('content-length')).toBe(length)
  })

  it('says nothing of the connection', async () => {
    const whole = answer([bytes('a')], { 'transfer-encoding': 'identity', connection: 'upgrade' })
    expect(announcesLength(whole)).toBe(true)
    expect([...(await holdToLength(whole, vi.fn())).headers]).toEqual([])
  })

  it('passes it on when the client goes away', async () => {
    const gone = vi.fn()
    const body = new ReadableStream({ cancel: gone })
    const held = await holdToLength(
      new Response(body, { headers: { 'content-length': '5' } }),
      vi.fn(),
    )
    await held.body?.cancel('gone')
    expect(gone).toHaveBeenCalledWith('gone')
  })
})
