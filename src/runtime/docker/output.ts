/** The output of a container, line by line, as the engine passes it on. */
import { PassThrough, type Readable } from 'node:stream'
import type Docker from 'dockerode'
import { readLines } from '../../process/output-lines.ts'

/**
 * Follows the output until it ends, the engine goes away or `signal` is aborted. `since`: in s since 1970; earlier
 * output is left out. Resolves when all is read, with whether the engine had no more.
 */
export async function followOutput(
  docker: Docker,
  container: Docker.Container,
  {
    since,
    onLine,
    onChunk,
    signal,
  }: {
    since: number
    onLine: (line: string) => void
    /** Receives standard output instead, as it comes. */
    onChunk?: (chunk: Buffer) => void
    signal: AbortSignal
  },
): Promise<boolean> {
  const options = { follow: true as const, stdout: true, stderr: true, since, abortSignal: signal }
  const stream = (await container.logs(options)) as unknown as Readable
  const outputs = [new PassThrough(), new PassThrough()]
  const [stdout, stderr] = outputs as [PassThrough, PassThrough]
  readLines(stderr, onLine)
  if (onChunk) stdout.on('data', onChunk)
  else readLines(stdout, onLine)
  docker.modem.demuxStream(stream, stdout, stderr)
  const isWhole = await new Promise<boolean>((resolve) => {
    for (const event of ['end', 'error', 'close']) {
      stream.once(event, () => resolve(event === 'end'))
    }
  })
  await Promise.all(outputs.map((output) => finish(output)))
  return isWhole
}

function finish(output: PassThrough): Promise<void> {
  return new Promise((resolve) => {
    output.once('end', () => resolve())
    output.once('close', () => resolve())
    output.end()
  })
}
