import { describe, expect, test } from 'vitest'
import { isFree, shapeOf } from './shape.ts'
import { problemsOf } from './validator.ts'

describe('the shape of a form', () => {
  test('has one field for a text that may be missing', () => {
    const given = {
      type: 'object',
      properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }], title: 'A' } },
    }
    expect(shapeOf(given as never).properties).toEqual({ a: { type: 'string', title: 'A' } })
  })

  test('asks for JSON where a list holds messages', () => {
    const items = { $ref: '#/definitions/BaseMessage' }
    const given = { type: 'object', properties: { messages: { type: 'array', items } } }
    const { messages } = shapeOf(given as never).properties ?? {}
    expect(messages).toEqual({})
    expect(isFree(messages as never)).toBe(true)
  })
})

describe('problems', () => {
  const schema = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  }

  test('are none where the value fits', () => expect(problemsOf(schema, { name: 'x' })).toEqual([]))

  test('are told where they are', () => {
    const found = problemsOf(schema, { age: -1 })
    expect(found.map(({ path }) => path.join('.'))).toEqual(['name', 'age'])
    expect(found[0]?.says).toBe('Is needed.')
  })

  test('a field that was emptied is one that is missing', () =>
    expect(problemsOf(schema, { name: undefined })).toHaveLength(1))
})
