/** Makes answers of stored values. */
import type { z } from '@hono/zod-openapi'
import type { Context } from 'hono'

type Answer<Shape extends z.ZodRawShape> = z.infer<z.ZodObject<Shape>>

/**
 * The answer with the members that `schema` names: those of `more`, and the others of `value`. Other members of
 * `value`, such as a new column, stay private and are not read.
 */
export function answerOf<
  Shape extends z.ZodRawShape,
  More extends Partial<Answer<Shape>> = Record<never, never>,
>(schema: z.ZodObject<Shape>, value: Omit<Answer<Shape>, keyof More>, more?: More): Answer<Shape> {
  const given: object = value
  const members = Object.keys(schema.shape).map((name) => [
    name,
    more && name in more ? more[name as keyof More] : given[name as keyof typeof given],
  ])
  return Object.fromEntries(members)
}

/** Sends `answerOf` as JSON. */
export function sendAs<Shape extends z.ZodRawShape>(
  c: Context,
  schema: z.ZodObject<Shape>,
  value: Answer<Shape>,
) {
  return c.json(answerOf(schema, value), 200)
}

/** The answer with the selected members alone, although its type promises all of them. No selection: all members. */
export function selectionOf<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  value: Answer<Shape>,
  select: readonly (keyof Shape)[] = [],
): Answer<Shape> {
  if (select.length === 0) return answerOf(schema, value)
  const given: object = value
  const members = select.map((name) => [name, given[name as keyof typeof given]])
  return Object.fromEntries(members)
}
