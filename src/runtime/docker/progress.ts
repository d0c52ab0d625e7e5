/** An engine's progress messages on a build, a pull or a push: one JSON object in each line. */
import { addAbortSignal, Readable } from 'node:stream'
import { isObject, jsonIn } from '../../core/json.ts'

/** The longest line, in characters: engines pass on a command's output in much shorter ones. */
const MOST_CHARS = 1024 * 1024

interface Follower {
  signal: AbortSignal
  /** Receives the output of a build's commands. */
  onText?(text: string): void
  /** Receives the progress of a pull or a push. */
  onStatus?(status: string): void
}

/**
 * Reads all of it and keeps nothing, since a project's commands may print without end (the client of the engine would
 * keep it). Rejects with the engine's error, when the engine breaks off, and when `signal` is aborted.
 */
export async function followProgress(
  progress: NodeJS.ReadableStream,
  { signal, onText = () => {}, onStatus = () => {} }: Follower,
): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  let failure: string | undefined
  const take = (line: string) => {
    // A line that is no JSON object counts as an empty one.
    const said = jsonIn(line)
    const { stream, status, error } = isObject(said) ? said : {}
    if (typeof stream === 'string') onText(stream)
    if (typeof status === 'string') onStatus(status)
    if (typeof error === 'string' && error !== '') failure ??= error
  }
  const source = progress instanceof Readable ? progress : new Readable().wrap(progress)
  for await (const chunk of addAbortSignal(signal, source)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MOST_CHARS) rest = ''
    for (const line of lines) take(line)
  }
  take(rest)
  if (failure !== undefined) throw new Error(failure)
}
