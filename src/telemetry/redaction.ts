/**
 * Keeps secrets out of the log, by two marks: the name of a field, and the shape of a text. The
 * names catch secrets that look like nothing; the shapes catch those inside sentences and stacks.
 */
import { stdSerializers } from 'pino'

const REDACTED = '[redacted]'
/** Deeper than this, a field is left out: a log line is no place for a whole object graph. */
const MAX_DEPTH = 8

const SECRET_NAME =
  /secret|token|password|passwd|passphrase|authorization|cookie|credential|key$|^x-runyard-gateway$/i

/** Keys of ours and of the usual services, `Authorization` values, passwords and signatures in URLs. */
const SECRET_SHAPES: readonly [RegExp, string][] = [
  [/\b(?:ry|sk|pk|lsv2|gh[opsu]|github_pat|glpat|xox[abp])[-_][\w-]{16,}/g, REDACTED],
  [/\b(bearer) +[\w.~+/=-]{16,}/gi, `$1 ${REDACTED}`],
  [/(\w:\/\/)[^\s/@"\\]{1,512}@/g, `$1${REDACTED}@`],
  [/([?&][\w-]*(?:token|key|secret|signature|password)=)[^&\s#]+/gi, `$1${REDACTED}`],
]

/**
 * A copy of the fields, errors serialized, without texts that have a secret's name or shape. Never
 * throws: fields that cannot be read become one that says so.
 */
export function withoutSecrets(fields: object): Record<string, unknown> {
  try {
    return copyMembers(fields, { isSecret: false, parents: [] })
  } catch (error) {
    return { unreadable_fields: maskSecrets(String(error)) }
  }
}

/** The text with everything replaced that has the shape of a secret. */
export function maskSecrets(text: string): string {
  return SECRET_SHAPES.reduce((masked, [shape, by]) => masked.replace(shape, by), text)
}

/** `isSecret`: some field around the value has a secret's name. */
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
      return [name, copy(value, { ...place, isSecret })]
    }),
  )
}

/** `type`, `message`, `stack`, own fields, and `cause` in the same form. */
function serializeError(error: Error): object {
  const { raw: _raw, ...serialized } = stdSerializers.errWithCause(error)
  return serialized
}
