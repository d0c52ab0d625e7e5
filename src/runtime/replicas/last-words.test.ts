import { expect, it } from 'vitest'
import { ownLine } from '../../core/deployment/log-source.ts'
import { createLog } from '../../telemetry/log.ts'
import { lastWords, lateStart, stepIn } from './last-words.ts'

const logged = (level: string, fields: object) =>
  `[runyard] {"level":"${level}","time":"2026-11-22T08:53:36.379Z","pid":7,${JSON.stringify(fields).slice(1)}`

it('are what the project has printed', () => {
  const lines = [
    'reading the settings',
    '{"level":"info","msg":"of the project itself"}',
    '  at 9:00',
  ]
  expect(lastWords(lines, '')).toEqual(lines)
})

it('have warnings and errors of the log as sentences, and nothing else of it', () => {
  const lines = [
    logged('debug', { msg: 'Loaded a graph.' }),
    logged('warn', {
      err: { type: 'Error', message: 'no ink', stack: 'Error: no ink' },
      msg: 'bad.',
    }),
    logged('error', { msg: 'a promise rejected unattended' }),
    logged('error', { msg: 'cut'.repeat(99) }).slice(0, 80),
  ]
  expect(lastWords(lines, '')).toEqual(['bad: no ink', 'a promise rejected unattended'])
})

it('have of a stack the frames of the project', () => {
  const own = '    at plan (/data/source/graph.ts:3:19)'
  const foreign = [
    `    at importModule (file://${import.meta.filename}:25:11)`,
    '    at listOnTimeout (node:internal/timers:685:17)',
    '    at run (/data/source/node_modules/a/b.js:1:1)',
  ]
  expect(lastWords(['Error: too late', own, ...foreign], '')).toEqual(['Error: too late', own])
})

it('do not say again what is told', () => {
  const told = 'Graph "a": Error: no ink\n    at plan (graph.ts:3:19)'
  const lines = [
    'reading',
    'runyard: Graph "a": Error: no ink',
    '    at plan (graph.ts:3:19)',
    logged('warn', { reason: 'Graph "a": Error: no ink', msg: 'The bundle is bad.' }),
    logged('warn', { err: { message: 'no ink' }, msg: 'The bundle is bad.' }),
  ]
  expect(lastWords(lines, told)).toEqual(['reading'])
})

it('finds the step in a line of an agent server’s own log, and in no other', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => lines.push(line) })
  log.info({ doing: 'imports ./src/agent.ts' }, 'The agent server starts.')
  log.info({ doing: 7 }, 'Something else.')
  expect(lines.map((line) => stepIn(ownLine(line.trim())))).toEqual([
    'imports ./src/agent.ts',
    undefined,
  ])
  expect(lines.map((line) => stepIn(line.trim()))).toEqual([undefined, undefined])
  expect(stepIn('{"doing":"imports what a project has printed"}')).toBeUndefined()
})

it.each([
  ['imports ./agent.py, for 52 s', 'was not healthy within 60 s: it imports ./agent.py, for 52 s.'],
  [undefined, 'was not healthy within 60 s.'],
])(
  'says that a start which does %j took too long, and which setting says how long',
  (doing, why) => {
    expect(lateStart(60_000, doing)).toBe(
      `The agent server ${why} RUNYARD_START_TIMEOUT_SECS sets the limit.`,
    )
  },
)
