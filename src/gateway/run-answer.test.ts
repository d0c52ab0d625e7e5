import { describe, expect, it } from 'vitest'
import { type RunAnswer, runAnswer } from './run-answer.ts'

const RUN = '/threads/t-1/runs/r-1'
const EVENTS = ['Content-Type', 'text/event-stream', 'Location', `${RUN}/stream`]
const RESULT = ['content-type', 'application/json', 'location', `${RUN}/join`]

const nextOf = (method: string, path: string, headers: string[], status = 200) =>
  runAnswer({ method, path }, { status, headers })?.next()

describe('the request that goes on with an answer', () => {
  it.each([
    ['POST', '/threads/t-1/runs/stream', EVENTS, `${RUN}/stream`, '-1'],
    ['POST', '/runs/stream', EVENTS, `${RUN}/stream`, '-1'],
    ['POST', '/below/this/runs/stream?x=1', EVENTS, `/below/this${RUN}/stream`, '-1'],
    [
      'POST',
      '/runs/stream?namespace=&namespace=a%3A1%7Cb',
      EVENTS,
      `${RUN}/stream?namespace=&namespace=a%3A1%7Cb`,
      '-1',
    ],
    ['GET', `${RUN}/stream?stream_mode=updates`, EVENTS, `${RUN}/stream?stream_mode=updates`],
    ['GET', '/runs/r-1/stream', EVENTS, '/runs/r-1/stream'],
    ['POST', '/threads/t-1/runs/wait', RESULT, `${RUN}/join`],
    ['POST', '/below/threads/t-1/runs/wait', RESULT, `/below${RUN}/join`],
    ['GET', `/below${RUN}/join?x=1`, RESULT, `/below${RUN}/join?x=1`],
  ])('reads the run, for %s %s', (method, path, headers, next, lastEventId = undefined) => {
    expect(nextOf(method, path, headers)).toEqual({ path: next, lastEventId })
  })

  it('cancels the run when the client leaves, where the first one did', () => {
    const headers = [...RESULT, 'X-Runyard-On-Leave', 'cancel']
    expect(nextOf('POST', '/runs/wait', headers)?.path).toBe(`${RUN}/join?cancel_on_disconnect=1`)
  })

  it.each([
    ['a refusal', 'POST', '/runs/wait', RESULT, 404],
    ['no run', 'POST', '/runs/wait', ['content-type', 'application/json']],
    ['a length', 'POST', '/runs/wait', [...RESULT, 'content-length', '2']],
    ['a coding', 'POST', '/runs/stream', [...EVENTS, 'content-encoding', 'gzip']],
    ['another type', 'POST', '/runs/stream', ['content-type', 'text/html', ...EVENTS.slice(2)]],
    ['another path', 'POST', '/mine', EVENTS],
    ['the path of another run', 'GET', '/threads/t-1/runs/r-2/stream', EVENTS],
    ['another method', 'PUT', '/runs/wait', RESULT],
    [
      'an address elsewhere',
      'POST',
      '/runs/wait',
      [...RESULT.slice(0, 3), `//evil/threads/t/runs/r/join`],
    ],
  ])('is none after an answer with %s', (_, method, path, headers, status = 200) => {
    expect(nextOf(method, path, headers, status)).toBeUndefined()
  })
})

describe('a stream', () => {
  it.each([1, 2, 7, 1000])('passes whole events on, in pieces of %i bytes', (size) => {
    const answer = stream()
    const text =
      'event: values\ndata: {"a":"id: 9"}\nid: 4\n\n: heartbeat\nevent: x\ndata: 1\nid: 5\n'
    const whole = text.slice(0, text.indexOf('event: x'))
    expect(takeAll(answer, text, size)).toBe(whole)
    expect(answer.next()).toMatchObject({ lastEventId: '4' })
    expect(takeAll(answer, 'event: x\ndata: 1\nid: 5\n\n', size)).toContain('id: 5\n\n')
    expect(answer.next()).toMatchObject({ lastEventId: '5' })
  })

  it('passes heartbeats on at once, before any event', () => {
    const answer = stream()
    expect(takeAll(answer, ': heartbeat\n: heart')).toBe(': heartbeat\n')
    expect(takeAll(answer, 'beat\n')).toBe(': heartbeat\n')
    expect(answer.next()).toMatchObject({ lastEventId: '-1' })
  })

  it('costs little for an agent that sends single bytes', () => {
    const answer = stream()
    const [byte, begun] = [Buffer.from('x'), performance.now()]
    for (let sent = 0; sent < 2 * 2 ** 20; sent += 1) answer.take(byte)
    // Copying everything with each byte would take minutes.
    expect(performance.now() - begun).toBeLessThan(20_000)
  })

  it('gives what it holds at its end', () => {
    const answer = stream()
    expect(takeAll(answer, 'event: x')).toBe('')
    expect(String(answer.end())).toBe('event: x')
  })

  it('does not hold a long event, and goes on only from its end', () => {
    const answer = stream()
    const long = `event: values\ndata: "${'x'.repeat(3 * 2 ** 20)}"\nid: 12\n\n`
    const [first, second] = [long.slice(0, -5), long.slice(-5)]
    const passed = takeAll(answer, first, 65_536)
    expect(passed.length).toBeGreaterThan(first.length - 100)
    expect(answer.next()).toBeUndefined()
    const other = stream()
    expect(takeAll(other, first, 65_536) + takeAll(other, second) === long).toBe(true)
    expect(other.next()).toMatchObject({ lastEventId: '12' })
  })
})

describe('a result', () => {
  it('goes on after white space alone', () => {
    const answer = runAnswer(
      { method: 'POST', path: '/runs/wait' },
      { status: 200, headers: RESULT },
    )
    expect(takeAll(answer, '\n\n')).toBe('\n\n')
    expect(answer?.next()).toEqual({ path: `${RUN}/join` })
    expect(takeAll(answer, '\n{')).toBe('\n{')
    expect(answer?.next()).toBeUndefined()
  })
})

function stream(): RunAnswer {
  const asked = { method: 'POST', path: '/runs/stream' }
  return runAnswer(asked, { status: 200, headers: EVENTS }) as RunAnswer
}

function takeAll(answer: RunAnswer | undefined, text: string, size = text.length): string {
  let given = ''
  for (let at = 0; at < text.length; at += size) {
    given += answer?.take(Buffer.from(text.slice(at, at + size)))
  }
  return given
}
