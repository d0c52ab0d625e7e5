/** `mount_prefix` of `langgraph.json`: serves the whole API below a path. */
import { getPath } from 'hono/utils/url'
import type { ReadPath } from '../../http/app.ts'
import { isInProcess } from '../access/door.ts'

/** A path prefix that no route has. */
const ELSEWHERE = '/.elsewhere'

/**
 * Reads the path below the prefix. Monitoring reaches `/ok` without the prefix too, and in-process
 * requests may leave it out: the project's clients do not know it.
 */
export function pathBelow(prefix: string): ReadPath {
  return (request, options) => {
    const path = getPath(request)
    if (path === prefix) return '/'
    if (path.startsWith(`${prefix}/`)) return path.slice(prefix.length)
    const isWithin = path === '/ok' || isInProcess(options ?? {})
    return isWithin ? path : ELSEWHERE + path
  }
}
