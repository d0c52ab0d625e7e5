/** An OpenAPI document, as far as the tests read it, and its operations. */
import { readFileSync } from 'node:fs'

export interface Schema {
  $ref?: string
  type?: JsonSchemaType | JsonSchemaType[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

type JsonSchemaType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
}

type Content = Record<string, { schema?: Schema }>

export interface OperationObject {
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, { $ref?: string; content?: Content }>
  security?: Record<string, string[]>[]
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, OperationObject>>
  components?: Record<string, Record<string, unknown>>
  security?: Record<string, string[]>[]
}

/** One operation: `method` in upper case, `path` with `{names}`. */
export interface Operation {
  method: string
  path: string
  operation: OperationObject
}

export const DOCUMENTS = ['agent-server', 'control-plane'] as const
export type DocumentName = (typeof DOCUMENTS)[number]

/** The committed document; `npm run check` sees to it that it is what the server answers. */
export function readDocument(name: DocumentName): OpenApiDocument {
  return JSON.parse(readFileSync(new URL(`../../openapi/${name}.json`, import.meta.url), 'utf8'))
}

export function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
}

/** The name of an operation in lists: `GET /threads/{thread_id}`. */
export function nameOf({ method, path }: { method: string; path: string }): string {
  return `${method} ${path}`
}
