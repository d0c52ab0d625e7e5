/** The project's own routes and middleware (`http.app`), which run before the API. */
import type { AuthUser } from '../authorization.ts'

export interface ProjectRoutes {
  /**
   * In the order of registration; middleware has a pattern as its path and the method `ALL`. `handle` gets only
   * requests that match one of them.
   */
  readonly routes: readonly { method: string; path: string }[]
  /**
   * Answers the request, or passes it on with `next`: to the API, or to the server's answer for an unknown route.
   * Middleware may change the request that it passes on, and the response. Bodies are streams of bytes in both
   * directions, and end with the request's signal. The host logs errors of the project's code and answers with them.
   */
  handle(request: ProjectRequest): Promise<Response>
}

export interface ProjectRequest {
  request: Request
  /** The path of its URL, without `http.mount_prefix`. */
  path: string
  /** The sender, if `auth` has run already. */
  user: AuthUser | undefined
  /** The other end of its connection; absent: the server itself sent it. */
  remote: RemoteEnd | undefined
  /** The server's headers for every response (CORS, the request's id), unless the project changes them. */
  headers: Headers
  /** Call once at most. `headers`: those above, as changed so far; the response gets them. */
  next(request: Request, headers: Headers): Promise<PassedOn>
}

/** The result of a request that was passed on. */
interface PassedOn {
  answer: Response
  /** The error of a server route; `answer` is the server's response to it. */
  error?: { name: string; message: string }
}

export interface RemoteEnd {
  address: string
  port: number
  /** `IPv4` or `IPv6`. */
  family: string
}
