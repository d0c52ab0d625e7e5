/** `mount_prefix` of `langgraph.json`: the whole server below a path. */
import { getPath } from 'hono/utils/url'
import type { ReadPath } from '../../http/app.ts'
import { isInProcess } from '../access/door.ts'

/** No route begins like this. */
const ELSEWHERE = '/.elsewhere'

/**
 * Reads the path below the prefix. `/ok` is there without it too, for what watches over the server,
 * and requests from within may leave it out: the project's clients do not know it.
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
