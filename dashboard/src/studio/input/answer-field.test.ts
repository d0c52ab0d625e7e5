import { expect, test } from 'vitest'
import { problemsOf } from '../../design/schema/validator.ts'
import { defaultsOf, fieldOf } from './answer-field.ts'

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

test('defaults of fields are found, also in groups', () => {
  const size = { type: 'object', properties: { w: { default: 0 }, h: { type: 'number' } } }
  expect(defaultsOf({ properties: { size, name: { type: 'string' } } })).toEqual({ size: { w: 0 } })
  expect(defaultsOf(fieldOf({ type: 'number', default: 3 }))).toEqual({ answer: 3 })
  expect(defaultsOf({ type: 'object' })).toEqual({})
})
