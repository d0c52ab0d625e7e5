import { describe, expect, test } from 'vitest'
import { fieldsText, idIn, partsOf } from './fields.ts'

const run_id = '1f0c2a44-0000-4000-8000-000000009b3e'

describe('a line of a log', () => {
  test.each([
    ['a run has ended {"ms":12}', 'a run has ended', { ms: 12 }],
    ['sent {"a":1 to the model {"ms":12}', 'sent {"a":1 to the model', { ms: 12 }],
    ['printed {"a":1} by hand', 'printed {"a":1} by hand', {}],
    ['function () { return {"a" }', 'function () { return {"a" }', {}],
    ['{"ms":12}', '{"ms":12}', {}],
    ['', '', {}],
  ])('%j is text and fields', (message, text, fields) =>
    expect(partsOf(message)).toEqual({ text, fields }),
  )

  test('shows its fields without ids, and an error as its message', () => {
    const err = { type: 'Error', message: 'The ink is out.', stack: 'Error: …\n at …' }
    expect(fieldsText({ run_id, status: 'error', steps: [1, 2], err })).toBe(
      'status=error steps=[1,2] err=The ink is out.',
    )
  })

  test('names a run only by a real id', () => {
    expect(idIn({ run_id }, 'run_id')).toBe(run_id)
    expect(idIn({ run_id: '../../settings' }, 'run_id')).toBeUndefined()
    expect(idIn({ run_id: 7 }, 'run_id')).toBeUndefined()
  })
})
