/**
 * Keeps secrets out of the log, by the names of fields and by the shape of texts. The names catch secrets
 * that look like any other text. The shapes catch secrets inside sentences and stacks.
 */
import { stdSerializers } from 'pino'
import { withSources } from '../core/named-sources.ts'

const REDACTED = '[redacted]'
/** Fields at a greater depth are left out: a log line is no place for a whole object graph. */
const MAX_DEPTH = 8
/** Nor for a text of megabytes, which a project's error may have and which takes seconds to search. */
const MAX_CHARS = 64 * 1024

const SECRET_NAME =
  /secret|token|password|passwd|passphrase|authorization|cookie|credential|key$|^x-runyard-gateway$/i

/** Our own keys and those of common services, `Authorization` values, passwords and signatures in URLs. */
const SECRET_SHAPES: readonly [RegExp, string][] = [
  [/\b(?:ry|sk|pk|lsv2|gh[opsu]|github_pat|glpat|xox[abp])[-_][\w-]{16,}/g, REDACTED],
  [/\b(bearer) +[\w.~+/=-]{16,}/gi, `$1 ${REDACTED}`],
  [/(\w:\/\/)[^\s/@"\\]{1,512}@/g, `$1${REDACTED}@`],
  [/([?&][\w-]*(?:token|key|secret|signature|password)=)[^&\s#]+/gi, `$1${REDACTED}`],
]

/**
 * A copy of the fields without texts that have the name or the shape of a secret. Errors are serialized, and
 * their stacks name sources. Never throws: unreadable fields are replaced by one that says so.
 */
export function withoutSecrets(fields: object): Record<string, unknown> {
  try {
    return copyMembers(fields, { isSecret: false, parents: [] })
  } catch (error) {
    return { unreadable_fields: maskSecrets(String(error)) }
  }
}

/** The text without everything shaped like a secret; the end of a very long one is left out. */
export function maskSecrets(text: string): string {
  const rest = text.length - MAX_CHARS
  const kept = rest > 0 ? `${text.slice(0, MAX_CHARS)}… [${rest} more characters]` : text
  return SECRET_SHAPES.reduce((masked, [shape, by]) => masked.replace(shape, by), kept)
}

/** `isSecret`: one of the fields around the value has the name of a secret. */
interface Place {
  isSecret: boolean
  parents: readonly object[]
}

function copy(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return place.isSecret ? REDACTED : maskSecrets(value)
  if (typeof value !== 'object' || value === null) return value
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (place.parents.length > MAX_DEPTH || place.parents.includes(value)) return '[left out]'
  const inside = { ...place, parents: [...place.parents, value] }
  if ('toJSON' in value && typeof value.toJSON === 'function') return copy(value.toJSON(), inside)
  return Array.isArray(value)
    ? value.map((item) => copy(item, inside))
    : copyMembers(value instanceof Error ? serializeError(value) : value, inside)
}

function copyMembers(object: object, place: Place): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      const isSecret = place.isSecret || SECRET_NAME.test(name)
      const isStack = name === 'stack' && typeof value === 'string'
      return [name, copy(isStack ? withSources(value) : value, { ...place, isSecret })]
    }),
  )
}

/** `type`, `message`, `stack`, own fields, and `cause` in the same form. */
function serializeError(error: Error): object {
  const { raw: _raw, ...serialized } = stdSerializers.errWithCause(error)
  return serialized
}
