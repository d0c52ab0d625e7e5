/** Selects the request headers that graphs see in `configurable`, and those that the log shows. */
import type { HeaderPatterns } from '../../core/agent/server/project-settings.ts'

/** Credentials and proxy headers: graphs see them only if the project names them in full. */
const HIDDEN = new Set(['x-api-key', 'x-tenant-id', 'x-service-key', 'authorization', 'cookie'])

const DEFAULT_INCLUDES = ['x-*', 'user-agent']

/** The headers that are included and not excluded, by lower-case name; never the gateway's token. */
export function headerChoice({
  includes = DEFAULT_INCLUDES,
  excludes,
}: HeaderPatterns): (headers: Headers) => Record<string, string> {
  const named = new Set(includes.map((one) => one.toLowerCase()))
  const [included, excluded] = [includes, excludes].map((list) => list.map(toRegExp))
  const isShown = (name: string) => {
    if (excluded?.some((one) => one.test(name))) return false
    if (HIDDEN.has(name)) return named.has(name)
    return included?.some((one) => one.test(name)) ?? false
  }
  return (headers) => Object.fromEntries([...headers].filter(([name]) => isShown(name)))
}

/** Never logged, even if the project names them. The log also redacts values that look like secrets. */
const UNLOGGED = [...HIDDEN, 'proxy-authorization', 'set-cookie']

/** The headers that the log shows: those that the project includes, and no credentials. */
export function loggedHeaders({
  includes = [],
  excludes,
}: HeaderPatterns): (headers: Headers) => Record<string, string> {
  return headerChoice({ includes, excludes: [...excludes, ...UNLOGGED] })
}

function toRegExp(pattern: string): RegExp {
  const escaped = pattern.replace(/[^\w*-]/g, '\\$&').replaceAll('*', '.*')
  return new RegExp(`^${escaped}$`, 'i')
}
