import { OpenAPIHono, z } from '@hono/zod-openapi'
import { expect, test } from 'vitest'
import { JsonObjectSchema, optional, selectable } from './json.ts'

const NamedSchema = z.object({ name: z.string() }).openapi('Named')

/** The schemas as the document has them. */
function described(schemas: Record<string, z.ZodType>) {
  const app = new OpenAPIHono()
  app.openAPIRegistry.register('All', z.object(schemas))
  const { components } = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'x', version: '0' },
  })
  return components?.schemas as Record<string, { properties: Record<string, unknown> }>
}

test('what takes null as absent says so, whatever kind of schema it is', () => {
  const fields = {
    number: optional(z.int().min(1)),
    word: optional(z.enum(['a'])),
    object: optional(JsonObjectSchema),
    named: optional(NamedSchema),
    either: optional(z.union([z.string(), z.array(z.string())])),
  }
  const nothing = { number: null, word: null, object: null, named: null, either: null }
  expect(z.object(fields).parse(nothing)).toEqual({})
  expect(described(fields).All?.properties).toEqual({
    number: { type: ['integer', 'null'], minimum: 1 },
    word: { type: ['string', 'null'], enum: ['a', null] },
    object: { type: ['object', 'null'], additionalProperties: true },
    named: { oneOf: [{ $ref: '#/components/schemas/Named' }, { type: 'null' }] },
    either: {
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }, { type: 'null' }],
    },
  })
})

test('what takes a select answers the whole, or some of its fields', () => {
  const { All, SelectedNamed } = described({ answer: selectable(NamedSchema, 'SelectedNamed') })
  const refs = ['Named', 'SelectedNamed'].map((name) => ({ $ref: `#/components/schemas/${name}` }))
  expect(All?.properties).toEqual({ answer: { anyOf: refs } })
  expect(SelectedNamed).toEqual({ type: 'object', properties: { name: { type: 'string' } } })
})
