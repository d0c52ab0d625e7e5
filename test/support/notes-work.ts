/** Work for the thread of a database that has a table `notes` with texts. */
import { isMainThread } from 'node:worker_threads'
import type { Db, ThreadWork } from '../../src/storage/db/db.ts'

export interface NotesAsked {
  text: string
  /** Two numbers: set to 1 once the text is inserted; the commit waits until the second one is not 0. */
  gate?: Int32Array
  /** What becomes of it after that: the work throws, or its thread ends. */
  end?: 'throw' | 'exit'
}

export const BEGUN = 0
export const OPEN = 1

const work: ThreadWork = (db: Db, { text, gate, end }: NotesAsked) =>
  db.transaction(async (tx) => {
    await tx.run('INSERT INTO notes (text) VALUES ($1)', [text])
    if (gate) {
      Atomics.store(gate, BEGUN, 1)
      Atomics.notify(gate, BEGUN)
      Atomics.wait(gate, OPEN, 0)
    }
    if (end === 'exit') process.exit()
    if (end === 'throw') throw new Error('changed my mind')
    return { isMainThread }
  })
export default work
