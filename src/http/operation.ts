/** Declares the operations of an API for its routes and its OpenAPI document. */
import type { RouteConfig, z } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'

type Request = NonNullable<RouteConfig['request']>
type Answers = RouteConfig['responses']

/** A JSON response for the OpenAPI document. */
export function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { 'application/json': { schema } } }
}

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
  /** Whether the document names the tags before the summary. Default: after it. */
  areTagsFirst?: boolean
}

interface Operation<R extends Request, A extends Answers, Status extends number> {
  /** What it does, in snake_case. The `operationId` is this name, the path and the method. */
  name?: string
  /** The whole `operationId`, in place of `name`. */
  id?: string
  summary: string
  description?: string
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
  const { tags, security, always = [], withRequest = [], areTagsFirst = false } = common
  const group = { tags, ...(security && { security }) }
  return <M extends RouteConfig['method'], P extends string, R extends Request, A extends Answers>(
    method: M,
    path: P,
    operation: Operation<R, A, Status>,
  ): Route<M, P, R, A> => {
    const { name = '', id, summary, description, request, middleware, answers } = operation
    const { refusals = [] } = operation
    const statuses = [...always, ...(request ? withRequest : []), ...refusals]
    const refused = statuses.map((status) => [status, common.refusals[status]])
    const about = { summary, ...(description !== undefined && { description }) }
    const route = {
      method,
      path,
      operationId: id ?? name + `${path}_${method}`.replaceAll(/\W/g, '_'),
      ...(areTagsFirst ? { ...group, ...about } : { ...about, ...group }),
      ...(middleware && { middleware }),
      request,
      responses: { ...answers, ...Object.fromEntries(refused) },
    }
    return route as Route<M, P, R, A>
  }
}
