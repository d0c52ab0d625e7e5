import { describe, expect, it } from 'vitest'
import { createLog } from '../../telemetry/log.ts'
import { logMark, notedLine, OF_PROJECT, ownLine, readLine } from './log-source.ts'

const MARK = logMark('the token of the gateway')

/** What a server with this mark prints. */
function printed(fields: object, sentence: string, mark = MARK): string {
  let line = ''
  const write = (text: string) => {
    line = text
  }
  createLog('info', { write }, mark).info(fields, sentence)
  return line.trimEnd()
}

const seen = (line: string) => readLine(notedLine(line, MARK))

describe('a line of a deploy log', () => {
  it('is the server’s where it has its mark, which is taken off', () => {
    const { text, source } = seen(printed({ a: 1 }, 'a run has ended'))
    expect(source).toBe('server')
    expect(JSON.parse(text)).toMatchObject({ level: 'info', a: 1, msg: 'a run has ended' })
    expect(text).not.toContain('mark')
    expect(readLine(ownLine('It waits.'))).toEqual({ text: 'It waits.', source: 'server' })
  })

  it('is the project’s otherwise, whatever it looks like', () => {
    const forged = printed({}, 'your key has expired', logMark('another token'))
    const without = forged.replace(/,"mark":"[^"]+"/, '')
    const lines = ['hello', forged, without, `x ${printed({}, 'x')}`, '[runyard] hello', '']
    for (const line of lines) expect([line, seen(line).source]).toEqual([line, 'project'])
    expect(seen('[runyard] hello').text).toBe(' [runyard] hello')
  })

  it('is the project’s where the server logs it for the project, or where it was cut', () => {
    const logged = printed({ a: 1, ...OF_PROJECT }, 'hello')
    expect(seen(logged)).toMatchObject({
      source: 'project',
      text: expect.not.stringContaining(MARK),
    })
    expect(seen(printed({}, 'long').slice(0, -3)).source).toBe('project')
  })
})
