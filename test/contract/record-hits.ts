/**
 * Runs before each test file: notes what the servers in its process answer with success, so that
 * `coverage.test.ts` can tell which operations no test reaches.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, inject } from 'vitest'
import { DOCUMENTS } from './document.ts'
import { HitFile } from './operation-hits.ts'

const testFile = expect.getState().testPath ?? ''
const document = DOCUMENTS.find((name) => testFile.includes(`/test/api/${name}/`))
if (document) {
  const file = new HitFile(inject('hitsFolder'))
  const seen = new Set<string>()
  file.add({ testFile })

  const note = (request: IncomingMessage, response: ServerResponse): void => {
    if (response.statusCode < 200 || response.statusCode >= 300) return
    const method = request.method ?? ''
    const path = (request.url ?? '').replace(/\?.*$/s, '').replace(/^\/api-host/, '')
    if (seen.has(method + path)) return
    seen.add(method + path)
    file.add({ document, method, path })
  }
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    response.once('close', () => note(request, response))
  })
}
