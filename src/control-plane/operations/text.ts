/** Text and numbers in requests: bounded, and without characters that stores cannot keep. */
import { z } from '@hono/zod-openapi'

/** At most `max` UTF-16 units; line breaks allowed, NUL and lone surrogates not. */
export function freeText(max: number) {
  return z
    .string()
    .max(max)
    .refine((text) => !text.includes('\0'), 'Expected text without NUL characters')
    .refine((text) => text.isWellFormed(), 'Expected well-formed Unicode')
    .openapi({ pattern: '^[^\\u0000]*$' })
}

/** At most `max` UTF-16 units on one line: no control characters. */
export function line(max: number) {
  return freeText(max)
    .refine((text) => !/\p{Cc}/u.test(text), 'Expected one line without control characters')
    .openapi({ pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' })
}

/** A named schema that may be absent or null: only around `z.lazy` the document shows that. */
export function nullishOf<T extends z.ZodType>(named: T) {
  return z.lazy(() => named).nullish()
}

/** What a revision is about, for people. */
export const Message = freeText(2000).nullish()

/** A UUID, as a regular expression for the document. */
export const UUID_PATTERN = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

/** Any UUID, whatever its version, in lower case afterwards. */
export const Uuid = z
  .guid('Expected a UUID')
  .toLowerCase()
  .openapi({ format: 'uuid', pattern: `^${UUID_PATTERN}$` })

/** A moment with its time zone, in UTC with milliseconds afterwards: as it is stored and sorted. */
export const Moment = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text).toISOString())
  .openapi({ type: 'string', format: 'date-time' })

/** The most results: 1 to 100, default 20. */
export const Limit = z.coerce.number().int().min(1).max(100).default(20)

/** The same where LangGraph Platform answers all results: 1 to 1000, default 1000. */
export const LongLimit = z.coerce.number().int().min(1).max(1000).default(1000)

/** How many results to skip: default 0. */
export const Offset = z.coerce
  .number()
  .int()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER)
  .default(0)
  .openapi({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })

/** A boolean as queries spell it. */
export const BooleanText = z.enum(['true', 'false', '1', '0', 'True', 'False']).optional()

/** Words out of a list, separated by commas; none: absent or empty. */
export function listOf<Word extends string>(words: readonly Word[]) {
  const word = `(${words.join('|')})?`
  return z
    .string()
    .max(4096)
    .transform((text, context): Word[] => {
      const parts = text.split(',').filter((part) => part !== '')
      const known = words.filter((one) => parts.includes(one))
      if (parts.every((part) => words.some((one) => one === part))) return known
      context.addIssue({ code: 'custom', message: `Expected words out of ${words.join(', ')}` })
      return known
    })
    .optional()
    .openapi({ type: 'string', maxLength: 4096, pattern: `^${word}(,${word})*$` })
}
