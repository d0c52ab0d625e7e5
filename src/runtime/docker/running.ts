/** A running container, across the times when its engine is away: its output, line by line, and its end. */
import { PassThrough, type Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { readLines } from '../../process/output-lines.ts'
import { type Engine, isAway } from './engine.ts'

/** Wait before an engine that has just come back, or broken off, is asked again, in ms. */
const LOOK_AGAIN_MS = 500
/** How often an engine on another machine is asked whether it still answers, in ms. */
const KEEP_ALIVE_MS = 30_000
/** How often podman looks. */
const INTERVAL = '250ms'

/** Resolves with the first state of `look` in which the container does not run. Rejects as `look` does. */
export async function untilEnded<S extends { Running: boolean }>(
  engine: Engine,
  id: string,
  { look, signal }: { look(): Promise<S>; signal: AbortSignal },
): Promise<S> {
  for (;;) {
    // The engine may be away, or have ended in the middle of the wait.
    await waitForEnd(engine, id, signal)
    const state = await look()
    if (!state.Running) return state
    await delay(LOOK_AGAIN_MS)
  }
}

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

interface Follower {
  /** The first output: all, or what comes from now on. */
  since: 'begin' | 'now'
  onLine: (line: string) => void
  /** Receives standard output instead, as it comes. */
  onChunk?: (chunk: Buffer) => void
  /** Asked after each break whether there is no more. `isWhole`: the engine had no more. */
  isOver(isWhole: boolean): Promise<boolean>
  signal: AbortSignal
}

/**
 * Follows the output until it is over or `signal` is aborted. Output from while the engine is away is read when it is
 * back; a line of the second in which it went may come twice. Rejects when the container is gone.
 */
export async function followOutput(
  engine: Engine,
  id: string,
  { since, isOver, signal, ...receiver }: Follower,
): Promise<void> {
  for (let from = since === 'now' ? now() : 0; ; ) {
    let isWhole = false
    try {
      isWhole = await followOnce(engine, id, { from, signal, ...receiver })
    } catch (error) {
      if (!isAway(error)) throw error
    }
    const brokeOffAt = now()
    if (await isOver(isWhole)) return
    await delay(LOOK_AGAIN_MS, undefined, { signal })
    from = isWhole ? now() : brokeOffAt
  }
}

/** Resolves when all is read, with whether the engine had no more. `from`: in s since 1970. */
async function followOnce(
  { patient }: Engine,
  id: string,
  { from: since, onLine, onChunk, signal }: Omit<Follower, 'since' | 'isOver'> & { from: number },
): Promise<boolean> {
  const options = { follow: true as const, stdout: true, stderr: true, since, abortSignal: signal }
  const stream = (await patient.getContainer(id).logs(options)) as unknown as Readable
  const outputs = [new PassThrough(), new PassThrough()]
  const [stdout, stderr] = outputs as [PassThrough, PassThrough]
  readLines(stderr, onLine)
  if (onChunk) stdout.on('data', onChunk)
  else readLines(stdout, onLine)
  patient.modem.demuxStream(stream, stdout, stderr)
  const isWhole = await new Promise<boolean>((resolve) => {
    for (const event of ['end', 'error', 'close']) {
      stream.once(event, () => resolve(event === 'end'))
    }
  })
  await Promise.all(outputs.map((output) => finished(output.end()).catch(() => {})))
  return isWhole
}

/** In s since 1970, as the engine counts. */
function now(): number {
  return Math.floor(Date.now() / 1000)
}
