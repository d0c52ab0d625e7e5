/** The content of a file of this machine. */
import { createReadStream } from 'node:fs'

/**
 * Opens the file at the first read and closes it after the last, or when the reader stops. So a reader that never
 * starts leaves nothing open, and a waiting reader receives every error. A stream that is opened earlier may fail
 * without a listener, which ends the process.
 */
export async function* fileContent(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path)
}
