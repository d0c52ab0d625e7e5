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
