/**
 * Wraps the schema of an answer that is not an object into an object with that one field, because forms have fields.
 * The schema's definitions stay at the root, where its references point.
 */
export function fieldOf(schema: object): object {
  const { $schema, $defs, definitions, ...answer } = schema as Record<string, unknown>
  return {
    ...($schema !== undefined && { $schema }),
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
    type: 'object',
    properties: { answer: { title: 'Answer', ...answer } },
    required: ['answer'],
  }
}

/** The defaults of a schema's fields, by name. The form fills in those behind references. */
export function defaultsOf(schema: object): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { default?: unknown }> }
  const defaults = Object.entries(properties).map(([name, field]) => {
    const { default: preset } = field
    const fields = 'properties' in field ? defaultsOf(field) : {}
    const inner = Object.keys(fields).length > 0 ? fields : undefined
    return [name, preset ?? inner] as const
  })
  return Object.fromEntries(defaults.filter(([, preset]) => preset !== undefined))
}
