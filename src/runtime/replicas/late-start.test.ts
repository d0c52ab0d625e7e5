import { expect, it } from 'vitest'
import { ownLine } from '../../core/deployment/log-source.ts'
import { createLog } from '../../telemetry/log.ts'
import { lateStart, stepIn } from './late-start.ts'

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
