/** Waits for the end of a container, and notices an engine that ends first. */
import type { Engine } from './engine.ts'

/** How often an engine on another machine is asked whether it still answers, in ms. */
const KEEP_ALIVE_MS = 30_000
/** How often podman looks. */
const INTERVAL = '250ms'

/**
 * Resolves when the container has ended, and also when the engine breaks off, does not answer or refuses, or when
 * `signal` is aborted: the caller checks then. Engines begin this answer at once, and the client of the engine never
 * settles when a begun answer breaks off: so this sends its own request.
 *
 * Podman 4 polls without a pause when it is asked as Docker is: three quarters of a processor, measured, for as long as
 * anything waits. So podman is asked through its own API.
 */
export async function waitForEnd(engine: Engine, id: string, signal: AbortSignal): Promise<void> {
  const { podman } = await ask(engine, { method: 'GET', path: '/_ping' }, signal)
  const path = `/containers/${encodeURIComponent(id)}/wait`
  const own = `/v${podman}/libpod${path}?interval=${INTERVAL}`
  await ask(engine, { method: 'POST', path: podman === undefined ? path : own }, signal)
}

/** Resolves when the connection is over. `podman`: the version of its own API; `undefined`: another engine. */
function ask(
  { at, request }: Engine,
  what: { method: string; path: string },
  signal: AbortSignal,
): Promise<{ podman: string | undefined }> {
  return new Promise((resolve) => {
    let podman: string | undefined
    const asked = request({ ...at, ...what, agent: false, signal })
    asked.setSocketKeepAlive(true, KEEP_ALIVE_MS)
    asked.once('response', (response) => {
      const version = response.headers['libpod-api-version']
      if (typeof version === 'string' && /^\d[\w.-]*$/.test(version)) podman = version
      response.on('error', () => {})
      response.resume()
    })
    // `close` comes after it.
    asked.on('error', () => {})
    asked.once('close', () => resolve({ podman }))
    asked.end()
  })
}
