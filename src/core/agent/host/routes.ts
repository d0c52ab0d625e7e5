/** The project's own routes and middleware (`http.app`), which stand in front of the API. */
import type { AuthUser } from '../authorization.ts'

export interface ProjectRoutes {
  /**
   * In their order, as the project registered them; of middleware the path is a pattern, and the method
   * `ALL`. Only requests that fit one of them are handed to `handle`.
   */
  readonly routes: readonly { method: string; path: string }[]
  /**
   * Answers the request, or passes it on by `next`: to the API, or to who answers that there is no such
   * route. Middleware may change the request that it passes on, and what comes back. Bodies are streams of
   * bytes in both directions, and end with the request's signal. What the project's code throws is
   * answered with, and told to the log, by the host.
   */
  handle(request: ProjectRequest): Promise<Response>
}

export interface ProjectRequest {
  request: Request
  /** Where it goes: the path of its URL, without `http.mount_prefix`. */
  path: string
  /** Who sent it, where that was asked before. */
  user: AuthUser | undefined
  /** The other end of its connection; absent: it comes from within the server. */
  remote: RemoteEnd | undefined
  /** What every answer has from the server (CORS, the request's id), unless the project changes it. */
  headers: Headers
  /** Once at most. `headers`: those above, as they are by now. Its answer has them. */
  next(request: Request, headers: Headers): Promise<PassedOn>
}

/** What came of a request that was passed on. */
interface PassedOn {
  answer: Response
  /** What a route of the server threw; `answer` is what the server made of it. */
  error?: { name: string; message: string }
}

export interface RemoteEnd {
  address: string
  port: number
  /** `IPv4` or `IPv6`. */
  family: string
}
