/** Reads the output of agent servers from their driver's files, and reports it to the control plane. */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import type { ReportedLog } from '../core/deployment/listener-protocol.ts'

/** How much of one revision's log a report has at most, in bytes. */
const MOST_BYTES = 65_536
/** For all of them together: the control plane would never accept a larger report. */
const MOST_BYTES_OF_ALL = 2 * 1024 * 1024

/** `pathOf`: the current file. What it held before this process began was reported already. */
export class Logs {
  readonly #pathOf: (revision_id: string) => string
  /** The reported offset of each log; below, those of the current report. */
  readonly #told = new Map<string, number>()
  #telling = new Map<string, number>()
  /** The size of each log when it had no further whole line. */
  readonly #unfinished = new Map<string, number>()
  /** The revision that the next report begins with, so that each has its turn. */
  #turn = 0

  constructor(pathOf: (revision_id: string) => string) {
    this.#pathOf = pathOf
  }

  /** Skips the current content, which an earlier process has reported. */
  skip(revision_ids: string[]): void {
    for (const id of revision_ids) this.#told.set(id, sizeOf(this.#pathOf(id)))
  }

  /** Returns whole lines that were not reported yet. */
  read(revision_ids: string[]): ReportedLog[] {
    this.#telling = new Map()
    const logs: ReportedLog[] = []
    let left = MOST_BYTES_OF_ALL
    const first = this.#turn % Math.max(1, revision_ids.length)
    for (const id of [...revision_ids.slice(first), ...revision_ids.slice(0, first)]) {
      if (left < MOST_BYTES) break
      this.#turn = revision_ids.indexOf(id) + 1
      const { text, bytes } = this.#readOne(id)
      left -= bytes
      if (bytes > 0) logs.push({ revision_id: id, text })
    }
    return logs
  }

  hasNew(revision_ids: string[]): boolean {
    return revision_ids.some((id) => {
      const size = sizeOf(this.#pathOf(id))
      return size !== (this.#told.get(id) ?? 0) && size !== this.#unfinished.get(id)
    })
  }

  /** The lines of the last `read` have arrived. */
  acknowledge(): void {
    for (const [id, offset] of this.#telling) this.#told.set(id, offset)
    this.#telling = new Map()
  }

  #readOne(id: string): { text: string; bytes: number } {
    const path = this.#pathOf(id)
    const size = sizeOf(path)
    // It was rotated: the file is another one.
    if (size < (this.#told.get(id) ?? 0)) this.#told.set(id, 0)
    const from = this.#told.get(id) ?? 0
    const read = size > from ? readLines(path, from) : { text: '', bytes: 0 }
    if (read.bytes > 0) this.#telling.set(id, from + read.bytes)
    else this.#unfinished.set(id, size)
    return read
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** `bytes`: the length in the file. The text may be longer: invalid UTF-8 is replaced in it. */
function readLines(path: string, from: number): { text: string; bytes: number } {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(MOST_BYTES)
    const read = readSync(file, buffer, 0, MOST_BYTES, from)
    const end = buffer.lastIndexOf('\n', read - 1) + 1
    // A line longer than a report is sent in pieces.
    const bytes = end === 0 && read === MOST_BYTES ? read : end
    return { text: buffer.toString('utf8', 0, bytes), bytes }
  } finally {
    closeSync(file)
  }
}
