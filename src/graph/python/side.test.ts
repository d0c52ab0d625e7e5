import { expect, it } from 'vitest'
import { createLog } from '../../telemetry/log.ts'
import { readSideLine } from './side.ts'

/** The line of the log that a line of the host becomes, as text and read. */
function logged(entry: Record<string, unknown>) {
  const lines: string[] = []
  const log = createLog('debug', { write: (line) => lines.push(line) }).child({ host_pid: 7 })
  const nothing = () => {}
  const line = JSON.stringify({ kind: 'log', ...entry })
  readSideLine(line, { onBeat: nothing, onBlocked: nothing, onStep: nothing, log })
  const [text = ''] = lines
  return { text, line: JSON.parse(text) }
}

it('logs what the project says with its own fields, and where it was said', () => {
  const fields = { answer: 42 }
  const where = { logger: 'app', run_id: 'r', thread_id: 't', node: 'say' }
  const { line } = logged({ level: 'warn', message: 'Hm.', fields, ...where })
  expect(line).toMatchObject({
    level: 'warn',
    msg: 'Hm.',
    answer: 42,
    logger: 'app',
    run_id: 'r',
    langgraph_node: 'say',
  })
})

it('keeps fields apart from the members that the line has itself', () => {
  const fields = { level: 9, time: 'noon', pid: 1, msg: 'x', host_pid: 2, run_id: 'mine', own: 1 }
  const { text, line } = logged({ level: 'info', message: 'Hm.', fields, run_id: 'r' })
  expect(line).toMatchObject({ level: 'info', msg: 'Hm.', host_pid: 7, run_id: 'r', own: 1 })
  expect(line).toMatchObject({ level_: 9, time_: 'noon', pid_: 1, msg_: 'x', run_id_: 'mine' })
  for (const name of Object.keys(line)) expect(text.split(`"${name}":`)).toHaveLength(2)
})
