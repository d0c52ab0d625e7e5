/** Values that a JSON schema allows, as arbitraries; ids of things that exist where one is meant. */
import fc from 'fast-check'
import type { OpenApiDocument, Schema } from '../contract/document.ts'
import { resolve } from '../contract/shape.ts'
import { known } from './known-values.ts'

/** How deep a value follows its schema; below it is a plain one. */
const MAX_DEPTH = 6

const plainText = fc.string({ unit: 'grapheme', maxLength: 12 })

const json = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constant({ messages: [{ role: 'user', content: 'hello' }] }),
)

/** `name` is what the value is called where it is sent. */
export function valuesOf(
  document: OpenApiDocument,
  schema: Schema,
  name = '',
  depth = 0,
): fc.Arbitrary<unknown> {
  const inner = (one: Schema, called = name) => valuesOf(document, one, called, depth + 1)
  const special = known(name, schema)
  if (special) return special
  if (depth > MAX_DEPTH) return json
  if (schema.$ref !== undefined) return inner(resolve(document, schema.$ref))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices && !schema.properties) return fc.oneof(...choices.map((one) => inner(one)))
  if (schema.allOf) {
    return fc
      .tuple(...schema.allOf.map((one) => inner(one)))
      .map((parts) => Object.assign({}, ...parts))
  }
  return plainValues(schema, inner)
}

type Inner = (schema: Schema, name?: string) => fc.Arbitrary<unknown>

function plainValues(schema: Schema, inner: Inner): fc.Arbitrary<unknown> {
  const types = [schema.type ?? (schema.properties ? 'object' : [])].flat()
  if (types.length === 0) return json
  return fc.oneof(...types.map((type) => ofType(type, schema, inner)))
}

function ofType(
  type: NonNullable<Schema['type']>,
  schema: Schema,
  inner: Inner,
): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return texts(schema)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -3, max: Math.min(schema.maximum ?? 30, 1_000) })
    case 'number':
      return fc.double({ min: schema.minimum ?? -1, max: 10, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(inner(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 3 })
    case 'object':
      return objects(schema, inner)
    default:
      return fc.constant(null)
  }
}

function texts({ format, minLength = 0 }: Schema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid()
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((at) => at.toISOString())
  return minLength > 0 ? plainText.filter((text) => text.length >= minLength) : plainText
}

function objects(schema: Schema, inner: Inner): fc.Arbitrary<object> {
  const { properties } = schema
  if (!properties) return fc.dictionary(plainText, json, { maxKeys: 3 })
  const required = schema.required ?? []
  const fields = Object.entries(properties).map(([name, one]) => [name, inner(one, name)] as const)
  const always = fields.filter(([name]) => required.includes(name))
  // Each field in a quarter of the requests: all at once seldom make sense together.
  const sometimes = fields
    .filter(([name]) => !required.includes(name))
    .map(([name, value]) => [name, fc.option(value, { freq: 1, nil: ABSENT })] as const)
  return fc
    .record(Object.fromEntries([...always, ...sometimes.map(seldom)]))
    .map((record) =>
      Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ABSENT)),
    )
}

const ABSENT = Symbol('absent')

function seldom([name, value]: readonly [string, fc.Arbitrary<unknown>]) {
  const choice = fc.oneof(
    { weight: 3, arbitrary: fc.constant(ABSENT) },
    { weight: 1, arbitrary: value },
  )
  return [name, choice] as const
}
