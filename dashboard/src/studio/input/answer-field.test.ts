import { expect, test } from 'vitest'
import { problemsOf } from '../../design/schema/validator.ts'
import { fieldOf } from './answer-field.ts'

test('an answer that is no object is one field of a form', () => {
  const form = fieldOf({ type: 'string', enum: ['yes', 'no'] })
  expect(problemsOf(form, { answer: 'yes' })).toEqual([])
  expect(problemsOf(form, {})).toMatchObject([{ path: ['answer'] }])
  expect(problemsOf(form, { answer: 'maybe' })).toMatchObject([{ path: ['answer'] }])
})

test('references of its schema are resolved', () => {
  const schema = { $ref: '#/$defs/Size', $defs: { Size: { type: 'integer', minimum: 1 } } }
  expect(problemsOf(fieldOf(schema), { answer: 2 })).toEqual([])
  expect(problemsOf(fieldOf(schema), { answer: 0 })).not.toEqual([])
})
