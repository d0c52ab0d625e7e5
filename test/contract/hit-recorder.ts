/** Notes what the servers in this process answer with success. */
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DocumentName } from './document.ts'
import type { HitFile } from './operation-hits.ts'

interface Recording {
  file: HitFile
  document: DocumentName
  seen: Set<string>
}

let current: Recording | undefined
let isSubscribed = false

/** From now on, for the tests of this document; each operation once. */
export function recordHits(file: HitFile, document: DocumentName): void {
  current = { file, document, seen: new Set() }
  // A process may run many test files.
  if (!isSubscribed) subscribe('http.server.request.start', listen)
  isSubscribed = true
}

/** From now on nothing is noted: the servers of other tests are none of the API's. */
export function stopRecording(): void {
  current = undefined
}

function listen(message: unknown): void {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
  response.once('close', () => note(request, response))
}

function note(request: IncomingMessage, response: ServerResponse): void {
  if (!current || response.statusCode < 200 || response.statusCode >= 300) return
  const { file, document, seen } = current
  const method = request.method ?? ''
  const path = (request.url ?? '').replace(/\?.*$/s, '').replace(/^\/api-host/, '')
  if (seen.has(method + path)) return
  seen.add(method + path)
  file.add({ document, method, path })
}
