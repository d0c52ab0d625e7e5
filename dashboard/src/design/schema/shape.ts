/** Simplifies a JSON Schema if its form would ask for more than needed. */
import type { RJSFSchema } from '@rjsf/utils'

type Schema = RJSFSchema

/** With more shapes than this, the value is entered as JSON instead of a choice. */
const MOST_SHAPES = 4

/** The schema that the form renders. Values are validated against the original. */
export function shapeOf(schema: Schema): Schema {
  const { $defs, definitions, ...rest } = schema
  return {
    ...shaped(rest),
    ...($defs && { $defs: each($defs) }),
    ...(definitions && { definitions: each(definitions) }),
  }
}

/** Whether the schema does not restrict the value, so that it is entered as JSON. */
export function isFree(schema: Schema): boolean {
  const says = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref', 'properties', 'items']
  return !says.some((key) => key in schema)
}

function shaped(schema: Schema): Schema {
  const shapes = schema.anyOf ?? schema.oneOf
  if (Array.isArray(shapes)) {
    const others = shapes.filter((one) => !isNull(one))
    // "Text or null" is an optional text.
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

/** Lists of unions, such as messages. */
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
