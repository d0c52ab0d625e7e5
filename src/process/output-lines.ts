/** Cuts the output of a process into lines. */
import type { Readable } from 'node:stream'

interface LineSplitter {
  write(chunk: Uint8Array): void
  /** Passes on the rest after the last line break. */
  end(): void
}

const MAX_LINE_CHARS = 8192
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are removed
const TERMINAL_CODES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)/g

/**
 * Hands on each line without its line break and without terminal codes; of a line that rewrites
 * itself (`\r`) only the last state. Lines beyond 8,192 characters are cut there, so that output
 * without line breaks uses bounded memory.
 */
export function createLineSplitter(onLine: (line: string) => void): LineSplitter {
  const decoder = new TextDecoder()
  let rest = ''
  const take = (text: string) => {
    const lines = (rest + text).split('\n')
    rest = (lines.pop() ?? '').slice(0, MAX_LINE_CHARS)
    for (const line of lines) onLine(plain(line))
  }
  return {
    write: (chunk) => take(decoder.decode(chunk, { stream: true })),
    end: () => {
      take(decoder.decode())
      if (rest) onLine(plain(rest))
      rest = ''
    },
  }
}

/** The same for all that comes out of a stream. */
export function readLines(stream: Readable | null, onLine: (line: string) => void): void {
  const lines = createLineSplitter(onLine)
  stream?.on('data', lines.write)
  stream?.once('close', lines.end)
}

function plain(line: string): string {
  const text = line.replace(/\r+$/, '').replace(TERMINAL_CODES, '')
  return text.slice(text.lastIndexOf('\r') + 1).slice(0, MAX_LINE_CHARS)
}
