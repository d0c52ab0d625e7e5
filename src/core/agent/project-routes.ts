/** The project's own routes and middleware (`http.app`), which stand in front of the API. */
import type { AuthUser } from './authorization.ts'

export interface ProjectRoutes {
  /** In their order, as the project registered them; of middleware the path is a pattern. */
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
  /** Who sent it, where that was asked before. */
  user: AuthUser | undefined
  next(request: Request): Promise<Response>
}
