/** Requests to the operations of an OpenAPI document: valid, mutated, hostile. */
import fc from 'fast-check'
import {
  nameOf,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Parameter,
} from '../contract/document.ts'
import { parametersOf } from '../contract/surface.ts'
import {
  asJson,
  hostileBody,
  hostileJson,
  hostileText,
  MALFORMED_PIECES,
  percentEncoded,
} from './hostile.ts'
import { valuesOf } from './schema-values.ts'

export interface FuzzRequest {
  /** The operation that it is meant for: `GET /threads/{thread_id}`. */
  operation: string
  method: string
  /** With its query; `@@name:index@@` stands for an id. */
  path: string
  headers: Record<string, string>
  body: Buffer | undefined
}

type Weighted<T> = { weight: number; arbitrary: fc.Arbitrary<T> }

const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>): Weighted<T> => ({
  weight,
  arbitrary,
})

/** Requests to all operations; fewer of those that leave the others nothing to work on. */
export function requestsOf(document: OpenApiDocument): fc.Arbitrary<FuzzRequest> {
  const isRemoval = ({ method, path }: Operation) => method === 'DELETE' || path.endsWith('/prune')
  return fc.oneof(
    ...operationsOf(document).map((one) =>
      weighted(isRemoval(one) ? 1 : 5, requestsTo(document, one)),
    ),
  )
}

function requestsTo(document: OpenApiDocument, one: Operation): fc.Arbitrary<FuzzRequest> {
  const parameters = parametersOf(document, one.operation)
  const of = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place)
  const json = one.operation.requestBody?.content['application/json']?.schema
  return fc
    .record({
      method: fc.oneof(
        weighted(30, fc.constant(one.method)),
        weighted(1, fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS')),
      ),
      path: paths(document, one.path, of('path')),
      query: queries(document, of('query')),
      headers: headers(document, of('header')),
      type: contentTypes,
      body: json ? bodies(valuesOf(document, json)) : noBodies,
    })
    .map(({ method, path, query, headers, type, body }) => ({
      operation: nameOf(one),
      method,
      path: `${path}${query}`,
      headers: body && type ? { ...headers, 'content-type': type } : headers,
      body,
    }))
}

function paths(
  document: OpenApiDocument,
  path: string,
  parameters: Parameter[],
): fc.Arbitrary<string> {
  const pieces = parameters.map(({ name, schema }) =>
    fc.oneof(
      weighted(20, valuesOf(document, schema, name).map(inAddress)),
      weighted(
        1,
        hostileText.map((text) => inAddress(text.slice(0, 3_000))),
      ),
      weighted(1, fc.constantFrom(...MALFORMED_PIECES)),
    ),
  )
  return fc.tuple(...pieces).map((values) => {
    const byName = new Map(parameters.map(({ name }, index) => [name, values[index] ?? '']))
    return path.replace(/\{(\w+)\}/g, (_, name: string) => byName.get(name) ?? '')
  })
}

function queries(document: OpenApiDocument, parameters: Parameter[]): fc.Arbitrary<string> {
  const pairs = parameters.map(({ name, schema, required }) => {
    const value = fc.oneof(
      weighted(
        6,
        valuesOf(document, schema, name).map((value) => [value].flat()),
      ),
      weighted(1, fc.array(valuesOf(document, schema, name), { minLength: 2, maxLength: 3 })),
      weighted(
        1,
        hostileText.map((text) => [text.slice(0, 3_000)]),
      ),
    )
    const encoded = value.map((values) => values.map((one) => `${name}=${inAddress(one)}`))
    const absent = weighted(required ? 1 : 20, fc.constant<string[]>([]))
    return fc.oneof(absent, weighted(10, encoded))
  })
  const extra = fc.oneof(
    weighted(20, fc.constant<string[]>([])),
    weighted(
      1,
      fc.constantFrom(...MALFORMED_PIECES).map((piece) => [`x=${piece}`]),
    ),
    weighted(1, fc.constant(['__proto__=1', 'limit=1', 'limit=2'])),
  )
  return fc.tuple(...pairs, extra).map((all) => {
    const query = all.flat().join('&')
    return query === '' ? '' : `?${query}`
  })
}

/** What may stand in a header is all that Node's client sends. */
function headers(
  document: OpenApiDocument,
  parameters: Parameter[],
): fc.Arbitrary<Record<string, string>> {
  const values = parameters.map(({ name, schema }) =>
    fc
      .oneof(
        weighted(3, fc.constant(undefined)),
        weighted(2, valuesOf(document, schema, name)),
        weighted(1, fc.constantFrom('-', '-1', '0', '999999999999999999999', 'x', '1e9', '\u00ff')),
        weighted(1, hostileText),
      )
      .map((value) => [name, value === undefined ? '' : inHeader(value)] as const),
  )
  return fc
    .tuple(...values)
    .map((entries) => Object.fromEntries(entries.filter(([, value]) => value !== '')))
}

const contentTypes = fc.oneof(
  weighted(8, fc.constant<string | undefined>('application/json')),
  weighted(
    1,
    fc.constantFrom(
      undefined,
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/json; charset=utf-16',
      'application/xml',
      'nonsense',
    ),
  ),
)

const noBodies: fc.Arbitrary<Buffer | undefined> = fc.oneof(
  weighted(6, fc.constant(undefined)),
  weighted(1, hostileBody),
)

function bodies(valid: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer | undefined> {
  return fc.oneof(
    weighted(6, valid.map(encoded)),
    weighted(3, fc.tuple(valid, fc.nat(), hostileJson).map(spoiled).map(encoded)),
    weighted(
      1,
      fc.tuple(valid, fc.nat()).map(([value, at]) => cut(encoded(value), at)),
    ),
    weighted(1, hostileBody),
    weighted(1, fc.constant(undefined)),
  )
}

/** One field, chosen by the number, becomes hostile, or there is one more. */
function spoiled([value, choice, hostile]: [unknown, number, unknown]): unknown {
  if (typeof value !== 'object' || value === null) return hostile
  const entries = Object.entries(value)
  const index = choice % (entries.length + 1)
  const [name, inner] = entries[index] ?? ['__proto__', undefined]
  const isDeeper = typeof inner === 'object' && inner !== null && choice % 2 === 0
  entries[index] = [name, isDeeper ? spoiled([inner, choice >> 1, hostile]) : hostile]
  return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries)
}

function encoded(value: unknown): Buffer {
  return Buffer.from(asJson(value))
}

function cut(body: Buffer, at: number): Buffer {
  return body.subarray(0, at % (body.length + 1))
}

/** Ids to be filled in stay readable. */
function inAddress(value: unknown): string {
  const text = typeof value === 'string' ? value : asJson(value)
  return /^@@\w+:\d+@@$/.test(text) ? text : percentEncoded(text)
}

function inHeader(value: unknown): string {
  return String(value)
    .replace(/[^\x20-\x7e\xa0-\xff]/g, '?')
    .trim()
    .slice(0, 1_000)
}
