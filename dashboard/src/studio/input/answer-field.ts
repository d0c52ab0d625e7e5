/**
 * The schema of an object whose only field is the answer, for an answer that is no object: forms have fields. The
 * schema's definitions stay at the root, where its references look for them.
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
