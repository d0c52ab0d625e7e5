/** What agent servers have printed, read from where their driver writes it, and told to the control plane. */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import type { ReportedLog } from '../core/deployment/listener-protocol.ts'

/** How much of one revision's log a report has at most, in bytes. */
const MOST_BYTES = 65_536
/** Of all of them together: a report that is larger than the control plane takes would never arrive. */
const MOST_BYTES_OF_ALL = 2 * 1024 * 1024

/** `pathOf`: the file that is written now. What it held before this process began was told already. */
export class Logs {
  readonly #pathOf: (revision_id: string) => string
  /** Up to where each was told, and is told in the report that is on its way. */
  readonly #told = new Map<string, number>()
  #telling = new Map<string, number>()
  /** How large each was when it had no whole line more. */
  readonly #unfinished = new Map<string, number>()
  /** With which revision the next report begins, so that each has its turn. */
  #turn = 0

  constructor(pathOf: (revision_id: string) => string) {
    this.#pathOf = pathOf
  }

  /** A later process has nothing to tell of what there is now. */
  skip(revision_ids: string[]): void {
    for (const id of revision_ids) this.#told.set(id, sizeOf(this.#pathOf(id)))
  }

  /** Whole lines that were not told yet. */
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

  /** What was read last has arrived. */
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

/** `bytes`: how much of the file that is. The text may have more: what is no UTF-8 is replaced in it. */
function readLines(path: string, from: number): { text: string; bytes: number } {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(MOST_BYTES)
    const read = readSync(file, buffer, 0, MOST_BYTES, from)
    const end = buffer.lastIndexOf('\n', read - 1) + 1
    // A line longer than a report is told in pieces.
    const bytes = end === 0 && read === MOST_BYTES ? read : end
    return { text: buffer.toString('utf8', 0, bytes), bytes }
  } finally {
    closeSync(file)
  }
}
