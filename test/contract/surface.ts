/** An API as its clients see it: operations with their parameters, requests and answers. */
import {
  nameOf,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Parameter,
} from './document.ts'
import { resolve, type Shape, shapeOf } from './shape.ts'

/** Operations by name (`GET /threads/{thread_id}`). */
export type Surface = Record<string, OperationSurface>

export interface OperationSurface {
  /** By place and name: `query limit`. Names of headers are in lower case. */
  parameters: Record<string, Shape & { isRequired: boolean }>
  request?: Shape
  /** The answers of success, by status and content type: `200 application/json`. */
  responses: Record<string, Shape>
}

export function surfaceOf(document: OpenApiDocument): Surface {
  return Object.fromEntries(
    operationsOf(document).map((one) => [nameOf(one), operationSurface(document, one)]),
  )
}

function operationSurface(document: OpenApiDocument, { operation }: Operation): OperationSurface {
  const body = operation.requestBody?.content['application/json']?.schema
  return {
    parameters: Object.fromEntries(
      parametersOf(document, operation).map((one) => [
        `${one.in} ${one.in === 'header' ? one.name.toLowerCase() : one.name}`,
        { ...shapeOf(document, one.schema), isRequired: one.required ?? false },
      ]),
    ),
    ...(body && { request: shapeOf(document, body) }),
    responses: responsesOf(document, operation),
  }
}

/** The parameters of an operation, references followed. */
export function parametersOf(
  document: OpenApiDocument,
  { parameters = [] }: Operation['operation'],
): Parameter[] {
  return parameters.map((one) =>
    '$ref' in one ? (resolve(document, one.$ref) as unknown as Parameter) : one,
  )
}

function responsesOf(
  document: OpenApiDocument,
  operation: Operation['operation'],
): Record<string, Shape> {
  const responses: Record<string, Shape> = {}
  for (const [status, response] of Object.entries(operation.responses)) {
    if (!status.startsWith('2')) continue
    const { content = {} } = response.$ref
      ? (resolve(document, response.$ref) as typeof response)
      : response
    const types = Object.entries(content)
    if (types.length === 0) responses[status] = {}
    for (const [type, { schema = {} }] of types) {
      responses[`${status} ${type}`] = shapeOf(document, schema)
    }
  }
  return responses
}
