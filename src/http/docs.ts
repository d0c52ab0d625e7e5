/** `/docs` and `/openapi.json`: the document, and a page to read and try it, which loads nothing from other servers. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { OpenAPIHono } from '@hono/zod-openapi'
import { type Env, Hono } from 'hono'
import { etag } from 'hono/etag'
import { AppError } from '../core/errors.ts'

const ASSETS = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
} as const

type Asset = keyof typeof ASSETS

/**
 * The page and its two files, without a key. All its URLs are relative, so it also works below a prefix. It reads the
 * `openapi.json` beside it.
 */
export function docsRoutes<E extends Env>(title: string): Hono<E> {
  const routes = new Hono<E>()
  routes.get('/docs', (c) => c.html(page(title)))
  for (const [name, type] of Object.entries(ASSETS)) {
    const headers = { 'content-type': type, 'cache-control': 'public, max-age=3600' }
    const file = keptBody(() => readFile(locate(name as Asset)))
    routes.get(`/docs/${name}`, etag(), async (c) => {
      const { body, tags } = await file()
      return c.body(body, 200, { ...headers, ...tags })
    })
  }
  return routes
}

/** `/openapi.json`: made once, after all routes exist: making it takes a while, and any client may request it. */
export function documentRoutes<E extends Env>(describe: () => object): Hono<E> {
  const routes = new Hono<E>()
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache' }
  const document = keptBody(async () => Buffer.from(JSON.stringify(describe())))
  routes.get('/openapi.json', etag(), async (c) => {
    const { body, tags } = await document()
    return c.body(body, 200, { ...headers, ...tags })
  })
  return routes
}

/**
 * The body of the first call that succeeds, for all calls, with its `etag` and length: hashing takes 5 ms for a
 * document of 1 MB.
 */
function keptBody(make: () => Promise<Buffer>) {
  let kept: { body: Uint8Array<ArrayBuffer>; tags: Record<string, string> } | undefined
  return async () => {
    if (kept) return kept
    const body = new Uint8Array(await make())
    const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22)
    kept = { body, tags: { etag: `"${digest}"`, 'content-length': String(body.length) } }
    return kept
  }
}

function page(title: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${title}</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<div id="ui">What shows this page is still being installed. Load it again in a minute; meanwhile
the document itself is at <a href="openapi.json">openapi.json</a>.</div>
<script src="docs/swagger-ui-bundle.js"></script>
<script>SwaggerUIBundle({ url: 'openapi.json', dom_id: '#ui', validatorUrl: null })</script>
</html>`
}

/**
 * Finds a file of the page. In the published package it is beside the compiled code; a clone has the library, which
 * `npm start` installs after it is ready. Throws `unavailable` until then.
 */
function locate(name: Asset): string {
  const packed = fileURLToPath(new URL(`../../swagger-ui/${name}`, import.meta.url))
  if (existsSync(packed)) return packed
  const installed = fileURLToPath(
    new URL(`../../node_modules/swagger-ui-dist/${name}`, import.meta.url),
  )
  if (existsSync(installed)) return installed
  throw new AppError('unavailable', `${name} is still being installed. Ask again in a minute.`, {
    retryAfterSeconds: 30,
  })
}

// Adds the refusals that precede any route to the OpenAPI documents.

type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>

/** The part of an operation that this file reads and extends. */
interface Operation {
  security?: object[]
  requestBody?: object
  responses: Record<string, object>
}

/**
 * The document, in which each operation also has the refusals that its route does not name: 401 and 403
 * when it needs credentials; 400 (not UTF-8), 413 and 415 when it has a body.
 */
export function addCommonRefusals(document: Document): Document {
  const paths = Object.entries(document.paths ?? {}).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations as Record<string, Operation>).map(([method, operation]) => [
        method,
        {
          ...operation,
          responses: { ...commonRefusals(operation, document.security), ...operation.responses },
        },
      ]),
    ),
  ])
  return { ...document, paths: Object.fromEntries(paths) }
}

function commonRefusals({ security, requestBody }: Operation, general: object[] = []) {
  const needsCredentials = (security ?? general).length > 0
  return {
    ...(requestBody && {
      400: refusal('Cannot be done so'),
      413: refusal('The body is too large'),
      415: refusal('The body is compressed'),
    }),
    ...(needsCredentials && {
      401: refusal('There are no credentials, or they are unknown'),
      403: refusal('The caller may not do this'),
    }),
  }
}

function refusal(description: string) {
  const schema = { $ref: '#/components/schemas/Refusal' }
  return { description, content: { 'application/json': { schema } } }
}
