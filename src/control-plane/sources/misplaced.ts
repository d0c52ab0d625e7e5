/** Refuses members of a request in places where they would have no effect. */
import type { MiddlewareHandler } from 'hono'
import { invalidField } from '../../core/errors.ts'

const LIMITS = [
  'min_scale',
  'max_scale',
  'cpu',
  'cpu_limit',
  'memory_mb',
  'memory_limit_mb',
] as const
/** The wrong places to look for members of `resource_spec`, and for `resource_spec` itself. */
const PLACES = [
  { within: undefined, names: ['resource_spec', ...LIMITS] },
  { within: 'source_revision_config', names: ['resource_spec', ...LIMITS] },
  { within: 'source_config', names: LIMITS },
] as const

/** Refuses, with `invalid`, a `resource_spec` or a part of it that is not at `source_config.resource_spec`. */
export const refuseMisplacedResources: MiddlewareHandler = async (c, next) => {
  // The route itself refuses invalid JSON.
  const body: unknown = await c.req.json().catch(() => undefined)
  for (const { within, names } of PLACES) {
    const holder = within === undefined ? body : memberOf(body, within)
    const name = names.find((one) => memberOf(holder, one) != null)
    if (name === undefined) continue
    const place = name === 'resource_spec' ? name : `resource_spec.${name}`
    throw invalidField(
      ['body', ...(within === undefined ? [] : [within]), name],
      `Nothing is read here. Put it into source_config.${place}`,
      'misplaced',
    )
  }
  return next()
}

function memberOf(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null) return undefined
  return Object.hasOwn(holder, name) ? (holder as Record<string, unknown>)[name] : undefined
}
