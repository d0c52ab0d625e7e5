/** What is in a file of this machine. */
import { createReadStream } from 'node:fs'

/**
 * Opens the file at the first reading and closes it with the last, or when the reader ends it. So whoever never
 * reads leaves nothing open, and an error always has somebody who waits for it: a stream that is opened
 * before tells it to nobody, which ends the process.
 */
export async function* fileContent(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path)
}
