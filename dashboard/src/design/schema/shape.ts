/** Makes a JSON Schema simpler where a form for it would ask more than a person has to say. */
import type { RJSFSchema } from '@rjsf/utils'

type Schema = RJSFSchema

/** More shapes than this are no choice for a form: such a value is written as JSON. */
const MOST_SHAPES = 4

/** The schema as the form draws it. Values are checked against the one that was given. */
export function shapeOf(schema: Schema): Schema {
  const { $defs, definitions, ...rest } = schema
  return {
    ...shaped(rest),
    ...($defs && { $defs: each($defs) }),
    ...(definitions && { definitions: each(definitions) }),
  }
}

/** Whether nothing is said about the value, so that it is written as JSON. */
export function isFree(schema: Schema): boolean {
  const says = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref', 'properties', 'items']
  return !says.some((key) => key in schema)
}

function shaped(schema: Schema): Schema {
  const shapes = schema.anyOf ?? schema.oneOf
  if (Array.isArray(shapes)) {
    const others = shapes.filter((one) => !isNull(one))
    // "Text or nothing" is text that may be left out.
    if (others.length === 1) return shaped({ ...described(schema), ...(others[0] as Schema) })
    if (others.length > MOST_SHAPES) return described(schema)
  }
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null')
    if (types.length !== 1) return described(schema)
    return shaped({ ...schema, type: types[0] as Schema['type'] })
  }
  const { items, properties } = schema
  if (schema.type === 'array' && (!items || Array.isArray(items))) return described(schema)
  if (schema.type === 'array' && isUnion(items)) return described(schema)
  return {
    ...schema,
    ...(properties && { properties: each(properties) }),
    ...(items && typeof items === 'object' && !Array.isArray(items) && { items: shaped(items) }),
  }
}

/** Lists of messages and the like. */
function isUnion(items: Schema['items']): boolean {
  if (typeof items !== 'object' || Array.isArray(items)) return false
  const { anyOf, oneOf, $ref } = items as Schema
  return (anyOf ?? oneOf ?? []).length > MOST_SHAPES || /Message/.test($ref ?? '')
}

function isNull(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && (schema as Schema).type === 'null'
}

function described({ title, description, default: preset }: Schema): Schema {
  return {
    ...(title && { title }),
    ...(description && { description }),
    ...(preset !== undefined && preset !== null && { default: preset }),
  }
}

function each(schemas: Record<string, Schema | boolean>): Record<string, Schema | boolean> {
  return Object.fromEntries(
    Object.entries(schemas).map(([key, one]) => [key, typeof one === 'object' ? shaped(one) : one]),
  )
}
