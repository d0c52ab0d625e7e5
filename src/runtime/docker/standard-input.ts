/** Writes to a container's standard input, which lies on no disk and has no other reader. */
import type { Duplex } from 'node:stream'
import type { Engine } from './engine.ts'

/** How long each step of it may take, in ms. */
const LIMIT_MS = 30_000

/**
 * Opens it; the container need not run yet. The client of the engine sends its options as a body, which podman passes
 * to the container: so this sends its own request.
 */
export function openStandardInput({ at, request }: Engine, id: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const path = `/containers/${encodeURIComponent(id)}/attach?stream=1&stdin=1`
    const headers = { connection: 'Upgrade', upgrade: 'tcp' }
    const asked = request({ ...at, method: 'POST', path, headers, timeout: LIMIT_MS })
    asked.once('upgrade', (_response, socket) => {
      // The container may end, or the engine, before anything is written.
      socket.on('error', () => {})
      resolve(socket)
    })
    asked.once('response', (response) => {
      response.resume()
      reject(new Error(`standard input: the engine answers ${response.statusCode}`))
    })
    asked.once('timeout', () => asked.destroy(new Error('standard input: no answer in time')))
    asked.once('error', reject)
    asked.end()
  })
}

/** Writes all of it, and closes. */
export function handOver(stdin: Duplex, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => stdin.destroy(new Error('it was not read')), LIMIT_MS)
    stdin.once('error', reject)
    stdin.end(text, (error?: Error | null) => {
      clearTimeout(late)
      if (error) return reject(error)
      stdin.resume()
      resolve()
    })
  })
}
