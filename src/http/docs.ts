/**
 * `/docs`: a page on which the OpenAPI document can be read and tried. It loads nothing from other
 * servers.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Env, Hono } from 'hono'
import { AppError } from '../core/errors.ts'
import { keepAnswer } from './kept-answer.ts'

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
    keepAnswer(routes, `/docs/${name}`, {
      make: () => readFile(locate(name as Asset)),
      headers: { 'content-type': type, 'cache-control': 'public, max-age=3600' },
    })
  }
  return routes
}

/** `/openapi.json`: made once, after all routes exist: making it takes a while, and any client may request it. */
export function documentRoutes<E extends Env>(describe: () => object): Hono<E> {
  const routes = new Hono<E>()
  keepAnswer(routes, '/openapi.json', {
    make: () => JSON.stringify(describe()),
    headers: { 'content-type': 'application/json', 'cache-control': 'no-cache' },
  })
  return routes
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
