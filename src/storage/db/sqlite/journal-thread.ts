/**
 * A thread that copies what is committed from the journal into the database file, so that no commit has to. Otherwise
 * every fifteenth run's commit copies a thousand pages and waits twice for the disk, and with it all that the event loop
 * has to do: 9 ms on a fast disk.
 *
 * It is begun when a file is written to for some time, or something large is, and does not keep the process alive. What it has not copied yet
 * is as safe in the journal as it was.
 */
import { Worker } from 'node:worker_threads'

/** After how many statements that write it begins: about 250 short runs. */
const BEGIN_AFTER = 10_000
/** After how many of them it looks again. */
const LOOK_AFTER = 500

/** From how many pages on a commit copies them itself: SQLite's default. */
export const OWN_PAGES = 1_000
/** The same while there is the thread: only where it cannot keep up. */
export const SPARE_PAGES = 65_536
/** From how many pages on the journal is begun anew, for which those who write wait a moment. */
const RESTART_PAGES = 4_000
/** How long that waits for those who write and read, in ms: nobody else writes meanwhile. */
const RESTART_WAIT_MS = 30
/** It is tried where no more than so many pages are left to copy: where somebody reads an old state it would be in vain. */
const RESTART_LEFT_PAGES = 256

interface JournalThreadParts {
  /** The database file. */
  path: string
  /** Sets from how many pages on commits copy them. */
  setOwnPages(pages: number): void
}

export class JournalThread {
  readonly #parts: JournalThreadParts
  #nextLook = BEGIN_AFTER
  #worker: Worker | undefined
  #isBusy = false
  #isOver = false

  constructor(parts: JournalThreadParts) {
    this.#parts = parts
  }

  /** Call it after commits, with how many statements that write there have been. */
  look(writeCount: number): void {
    if (writeCount < this.#nextLook || this.#isBusy || this.#isOver) return
    this.#nextLook = writeCount + LOOK_AFTER
    this.#worker ??= this.#begin()
    this.#isBusy = true
    this.#worker.postMessage('copy')
  }

  /** Much is written: begins, however few statements there were before, and looks after the next commit. */
  hurry(): void {
    if (this.#isOver) return
    this.#nextLook = 0
    this.#worker ??= this.#begin()
  }

  /** Settles when the thread has closed the file. Commits copy for themselves from then on. */
  async stop(): Promise<void> {
    this.#isOver = true
    const worker = this.#worker
    if (!worker) return
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    worker.ref()
    worker.postMessage('close')
    await ended
  }

  #begin(): Worker {
    const { path, setOwnPages } = this.#parts
    const workerData = {
      path,
      restartPages: RESTART_PAGES,
      waitMs: RESTART_WAIT_MS,
      leftPages: RESTART_LEFT_PAGES,
    }
    const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 }
    const worker = new Worker(SOURCE, { eval: true, workerData, resourceLimits, execArgv: [] })
    worker.unref()
    worker.on('message', () => (this.#isBusy = false))
    // An error has an exit behind it: commits do without the thread.
    worker.on('error', () => {})
    worker.once('exit', () => {
      this.#worker = undefined
      if (this.#isOver) return
      this.#isOver = true
      setOwnPages(OWN_PAGES)
    })
    setOwnPages(SPARE_PAGES)
    return worker
  }
}

/**
 * Plain JavaScript, so that it needs neither a file beside it nor a loader. What fails (a full disk, a file that is
 * gone) fails for those who write as well, who tell of it.
 */
const SOURCE = `
const { parentPort, workerData } = require('node:worker_threads')
const { DatabaseSync } = require('node:sqlite')
const { path, restartPages, waitMs, leftPages } = workerData

const database = new DatabaseSync(path, { timeout: waitMs })
database.exec('PRAGMA synchronous = NORMAL')
const passive = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
const restart = database.prepare('PRAGMA wal_checkpoint(RESTART)')
let restartFrom = restartPages

const copy = () => {
  const { log, checkpointed } = passive.get()
  if (log < restartPages) restartFrom = restartPages
  if (log < restartFrom || log - checkpointed > leftPages) return
  // Somebody reads: they are not made to wait again before there is much more.
  if (restart.get().busy) restartFrom = log + restartPages / 4
}

parentPort.on('message', (what) => {
  if (what === 'close') {
    database.close()
    return parentPort.close()
  }
  try {
    copy()
  } catch {}
  parentPort.postMessage('copied')
})
`
