import { rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { AppError } from '../core/errors.ts'
import { describeStartFailure } from './start-failure.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

function failed(message: string, frames: string[], cause?: unknown): AppError {
  const error = new AppError('bad_request', message, { cause })
  error.stack = [`AppError: ${message}`, ...frames.map((frame) => `    at ${frame}`)].join('\n')
  return error
}

it('is the sentence, then where in the project it comes from', async () => {
  const cause = failed('no ink', [
    `pen (file://${folder}/lib/pen.ts:3:19)`,
    `${folder}/graph.ts:4:26`,
    `run (${folder}/node_modules/a/b.js:1:1)`,
    'node:internal/modules/esm/loader:650:26',
  ])
  const own = 'importModule (file:///opt/runyard/src/graph/module-export.ts:25:11)'
  const error = failed(`Graph "a": ${folder}/graph.ts: no ink`, [own], cause)
  const wanted = 'Graph "a": graph.ts: no ink\n    at pen (lib/pen.ts:3:19)\n    at graph.ts:4:26'
  expect(describeStartFailure(error, join(folder, 'langgraph.json'))).toBe(wanted)
  const link = `${folder}-link`
  await symlink(folder, link)
  expect(describeStartFailure(error, join(link, 'langgraph.json'))).toBe(wanted)
  await rm(link)
})

it('is the sentence alone where the project has no part in it, and takes whatever is thrown', () => {
  const config = join(folder, 'gone/langgraph.json')
  expect(describeStartFailure(failed('There is no database.', []), config)).toBe(
    'There is no database.',
  )
  expect(describeStartFailure('thrown', config)).toBe('thrown')
  const round = new Error('round')
  round.cause = failed('and round', [], round)
  expect(describeStartFailure(round, config)).toBe('round')
})
