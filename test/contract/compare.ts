/** Whether clients that were written for one API work with another. */
import type { JsonType, Shape } from './shape.ts'
import type { OperationSurface, Surface } from './surface.ts'

/** One thing that such a client could notice: `GET /threads/{thread_id} response.ttl: is missing`. */
export interface Difference {
  /** The operation, and the way to the field in it. */
  at: string
  what: string
}

/** What `ours` does not take or give although `theirs` does. More than theirs is no difference. */
export function differences(theirs: Surface, ours: Surface): Difference[] {
  return Object.entries(theirs).flatMap(([name, operation]) => {
    const own = ours[name]
    return own ? operationDifferences(operation, own, name) : [missing(name)]
  })
}

function operationDifferences(
  theirs: OperationSurface,
  ours: OperationSurface,
  name: string,
): Difference[] {
  return [
    ...parameterDifferences(theirs, ours, name),
    ...(theirs.request ? requestDifferences(theirs.request, ours.request, name) : []),
    ...Object.entries(theirs.responses).flatMap(([kind, shape]) => {
      const at = `${name} ${kind}`
      const own = ours.responses[kind]
      return own ? gives(shape, own, at) : [missing(at)]
    }),
  ]
}

function parameterDifferences(
  theirs: OperationSurface,
  ours: OperationSurface,
  name: string,
): Difference[] {
  const taken = Object.entries(theirs.parameters).flatMap(([parameter, shape]) => {
    const own = ours.parameters[parameter]
    const at = `${name} ${parameter}`
    if (!own) return [missing(at)]
    if (own.isRequired && !shape.isRequired) return [{ at, what: 'is required' }]
    return takesText(shape, own, at)
  })
  const unknown = Object.entries(ours.parameters)
    .filter(([parameter, own]) => own.isRequired && !theirs.parameters[parameter])
    .map(([parameter]) => ({ at: `${name} ${parameter}`, what: 'is required' }))
  return [...taken, ...unknown]
}

function requestDifferences(theirs: Shape, ours: Shape | undefined, name: string): Difference[] {
  const at = `${name} request`
  return ours ? takes(theirs, ours, at) : [missing(at)]
}

/** Parameters are texts: what counts is whether a text, or one of a few, is taken at all. */
function takesText(theirs: Shape, ours: Shape, at: string): Difference[] {
  const values = (shape: Shape) => shape.values ?? shape.items?.values
  const isOpen = (shape: Shape) =>
    !values(shape) &&
    (!shape.types || shape.types.some((type) => ['string', 'array'].includes(type)))
  if (isOpen(ours)) return []
  if (isOpen(theirs)) return [{ at, what: 'takes not every text' }]
  const refused = values(theirs)?.filter((value) => values(ours)?.includes(value) === false) ?? []
  return refused.length > 0 ? [{ at, what: `takes no ${refused.join(', ')}` }] : []
}

/** Whether everything of `theirs` may be sent to `ours`. */
function takes(theirs: Shape, ours: Shape, at: string): Difference[] {
  if (!ours.types) return []
  if (!theirs.types) return [{ at, what: 'takes not everything' }]
  const refused = [
    ...theirs.types.filter((type) => !isCovered(type, ours.types)),
    ...missingValues(theirs, ours),
  ]
  const own = ours.fields
  return [
    ...(refused.length > 0 ? [{ at, what: `takes no ${refused.join(', ')}` }] : []),
    ...(theirs.items && ours.items ? takes(theirs.items, ours.items, `${at}[]`) : []),
    ...Object.entries(own ? (theirs.fields ?? {}) : {}).flatMap(([field, shape]) =>
      own?.[field] ? takes(shape, own[field], `${at}.${field}`) : [missing(`${at}.${field}`)],
    ),
    ...newlyRequired(theirs, ours).map((field) => ({ at: `${at}.${field}`, what: 'is required' })),
  ]
}

/** Whether everything of `theirs` comes back from `ours`, and nothing that `theirs` never gives. */
function gives(theirs: Shape, ours: Shape, at: string): Difference[] {
  if (!theirs.types) return []
  if (!ours.types) return [{ at, what: 'may be anything' }]
  const foreign = [
    ...ours.types.filter((type) => !isCovered(type, theirs.types)),
    ...missingValues(ours, theirs),
  ]
  return [
    ...(foreign.length > 0 ? [{ at, what: `may be ${foreign.join(', ')}` }] : []),
    ...(theirs.items && ours.types.includes('array')
      ? gives(theirs.items, ours.items ?? {}, `${at}[]`)
      : []),
    ...(theirs.fields && ours.types.includes('object') ? givesFields(theirs, ours, at) : []),
  ]
}

function givesFields(theirs: Shape, ours: Shape, at: string): Difference[] {
  const own = ours.fields
  if (!own) return [{ at, what: 'leaves its fields open' }]
  return [
    ...Object.entries(theirs.fields ?? {}).flatMap(([field, shape]) =>
      own[field] ? gives(shape, own[field], `${at}.${field}`) : [missing(`${at}.${field}`)],
    ),
    ...newlyRequired(ours, theirs)
      .filter((field) => own[field])
      .map((field) => ({ at: `${at}.${field}`, what: 'may be absent' })),
  ]
}

function isCovered(type: JsonType, by: JsonType[] | undefined): boolean {
  return (by?.includes(type) || (type === 'integer' && by?.includes('number'))) ?? false
}

/** The texts of `wanted` that `given` does not have; `any text` when it wants any. */
function missingValues(wanted: Shape, given: Shape): string[] {
  if (!given.values || !wanted.types?.includes('string')) return []
  if (!wanted.values) return ['any text']
  return wanted.values.filter((value) => !given.values?.includes(value))
}

function newlyRequired(before: Shape, after: Shape): string[] {
  return (after.required ?? []).filter((field) => !before.required?.includes(field))
}

function missing(at: string): Difference {
  return { at, what: 'is missing' }
}
