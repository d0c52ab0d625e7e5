/**
 * A thread with a connection of its own that writes what is much, so that the event loop goes on meanwhile. Only one
 * connection of SQLite writes at a time: this thread does while nobody else of its process may.
 *
 * It is begun when there was much to write for some time, ends when there was not, since it takes some 50 MB, and does not
 * keep the process alive.
 */
import { Worker } from 'node:worker_threads'
import { DatabaseAway } from '../../../core/errors.ts'
import { siblingModule } from '../../../core/sibling-module.ts'
import type { DbThread } from '../db.ts'
import type { Mutex } from '../mutex.ts'

/** How often it is asked for before it begins. */
const BEGIN_AFTER = 32
/** How long it stays when it is not asked for, in ms. */
const IDLE_MS = 60_000
/** The most that is written by one commit: others wait for its end. */
const MAX_GROUP = 64

/** What the thread is sent: the address of a module, and what its default export is given. */
export interface Errand {
  module: string
  asked: unknown
}

/** What it answers to several of them, in order. */
export interface Report {
  outcomes: ErrandOutcome[]
  /** How many statements that may write it has run. */
  writeCount: number
}

export type ErrandOutcome = { isDone: true; answer: unknown } | { isDone: false }

/** Its first message: it has opened the file. */
export const READY = 'ready'
/** Has it close the file, and end. */
export const CLOSE = 'close'

interface Asked extends Errand {
  resolve: (outcome: { answer: unknown } | undefined) => void
  reject: (error: unknown) => void
}

interface WriterThreadParts {
  /** The database file. */
  path: string
  /** Whoever writes is in. */
  writing: Mutex
  /** Called when it begins: it writes much, and does not copy the journal. */
  onBegin: () => void
  /** Called before it writes, and with how many statements that may write it has run. */
  onWrite: (writeCount: number) => void
}

export class WriterThread implements DbThread {
  readonly #parts: WriterThreadParts
  #untilBegin = BEGIN_AFTER
  #worker: Worker | undefined
  #isReady = false
  /** It was told to end. */
  #isEnding = false
  /** It has ended by itself, or the database is closed: it does not begin again. */
  #isOver = false
  #idle: NodeJS.Timeout | undefined
  readonly #asked: Asked[] = []
  #isDue = false
  #report: PromiseWithResolvers<Report | undefined> | undefined

  constructor(parts: WriterThreadParts) {
    this.#parts = parts
  }

  async do<Answer>(module: URL, asked: unknown): Promise<{ answer: Answer } | undefined> {
    if (!this.#isReady) {
      this.#untilBegin -= 1
      if (this.#untilBegin <= 0 && !this.#isOver) this.#worker ??= this.#begin()
      return undefined
    }
    return new Promise((resolve, reject) => {
      this.#asked.push({
        module: module.href,
        asked,
        resolve: resolve as Asked['resolve'],
        reject,
      })
      this.#look()
    })
  }

  /** Settles when the thread has done what it was asked and has closed the file. */
  async stop(): Promise<void> {
    while (this.#isDue || this.#asked.length > 0) await this.#parts.writing.take(() => {})
    this.#isOver = true
    const worker = this.#worker
    if (!worker) return
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    worker.ref()
    this.#end(worker)
    await ended
  }

  #look(): void {
    if (this.#isDue || this.#asked.length === 0) return
    this.#isDue = true
    void this.#parts.writing.take(() => this.#write())
  }

  /** Never rejects. What is asked for meanwhile is written together, behind those who wait to write. */
  async #write(): Promise<void> {
    const group = this.#asked.splice(0, MAX_GROUP)
    const worker = this.#worker
    const report = worker && (await this.#send(worker, group))
    this.#isDue = false
    this.#look()
    for (const [i, { resolve, reject }] of group.entries()) {
      const outcome = report?.outcomes[i]
      if (outcome?.isDone) resolve({ answer: outcome.answer })
      else if (outcome || !worker) resolve(undefined)
      else reject(this.#lost())
    }
  }

  /** `undefined`: the thread has ended, and nobody knows what it has written. */
  async #send(worker: Worker, group: readonly Asked[]): Promise<Report | undefined> {
    const report = Promise.withResolvers<Report | undefined>()
    try {
      worker.postMessage(group.map(({ module, asked }): Errand => ({ module, asked })))
    } catch {
      // One of them cannot be cloned.
      return { outcomes: group.map(() => ({ isDone: false })), writeCount: 0 }
    }
    this.#report = report
    this.#parts.onWrite(1)
    this.#idle?.refresh()
    worker.ref()
    const answer = await report.promise
    worker.unref()
    this.#report = undefined
    if (answer) this.#parts.onWrite(answer.writeCount)
    return answer
  }

  #begin(): Worker {
    this.#parts.onBegin()
    const program = siblingModule('writer-thread-program', import.meta.url)
    const workerData = this.#parts.path
    const worker = new Worker(program, { workerData, execArgv: [], name: 'sqlite-writer' })
    worker.unref()
    worker.on('message', (message: Report | typeof READY) => {
      if (message === READY) this.#isReady = !this.#isEnding
      else this.#report?.resolve(message)
    })
    // An error has an exit behind it: what is much is written here again.
    worker.on('error', () => {})
    worker.once('exit', () => this.#onExit())
    this.#idle = setTimeout(() => this.#endIdle(worker), IDLE_MS)
    this.#idle.unref()
    return worker
  }

  #endIdle(worker: Worker): void {
    if (this.#isDue) this.#idle?.refresh()
    else this.#end(worker)
  }

  #end(worker: Worker): void {
    this.#isEnding = true
    this.#isReady = false
    worker.postMessage(CLOSE)
  }

  #onExit(): void {
    clearTimeout(this.#idle)
    this.#worker = undefined
    this.#isReady = false
    this.#isOver ||= !this.#isEnding
    this.#isEnding = false
    this.#untilBegin = BEGIN_AFTER
    this.#report?.resolve(undefined)
  }

  #lost(): DatabaseAway {
    const what = `The thread that wrote to the database ${this.#parts.path} has ended`
    return new DatabaseAway(
      `${what}: nobody knows whether what it was given is written.`,
      undefined,
    )
  }
}
