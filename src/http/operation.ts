/** Declares the operations of an API for its routes and its OpenAPI document. */
import type { RouteConfig } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'

type Request = NonNullable<RouteConfig['request']>
type Answers = RouteConfig['responses']

/** What the operations of one tag have in common. */
interface Common<Status extends number> {
  tags: string[]
  /** Absent: as the document says for all operations. `[]`: they need no credentials. */
  security?: Record<string, string[]>[]
  /** Each refusal of the API as the document describes it, by its status. */
  refusals: Readonly<Record<Status, Answers[string]>>
  /** The refusals of every operation. */
  always?: readonly NoInfer<Status>[]
  /** The refusals of every operation whose request has parameters or a body. */
  withRequest?: readonly NoInfer<Status>[]
}

interface Operation<R extends Request, A extends Answers, Status extends number> {
  /** What it does, in snake_case. The `operationId` is this name, the path and the method. */
  name: string
  summary: string
  request?: R
  /** Runs before the request is validated. */
  middleware?: MiddlewareHandler | MiddlewareHandler[]
  /** Its responses other than refusals, by status. */
  answers: A
  /** Its refusals beside the common ones. */
  refusals?: readonly Status[]
}

/** Handlers throw refusals, so the type has only the other responses. */
type Route<M, Path, R, A> = { method: M; path: Path; request: R; responses: A }

/** Returns the function that declares one operation, for `OpenAPIHono.openapi`. */
export function operations<Status extends number>(common: Common<Status>) {
  const { tags, security, always = [], withRequest = [] } = common
  return <M extends RouteConfig['method'], P extends string, R extends Request, A extends Answers>(
    method: M,
    path: P,
    { name, summary, request, middleware, answers, refusals = [] }: Operation<R, A, Status>,
  ): Route<M, P, R, A> => {
    const statuses = [...always, ...(request ? withRequest : []), ...refusals]
    const refused = statuses.map((status) => [status, common.refusals[status]])
    const route = {
      method,
      path,
      operationId: name + `${path}_${method}`.replaceAll(/\W/g, '_'),
      summary,
      tags,
      ...(security && { security }),
      ...(middleware && { middleware }),
      request,
      responses: { ...answers, ...Object.fromEntries(refused) },
    }
    return route as Route<M, P, R, A>
  }
}
