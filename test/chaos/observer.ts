/**
 * Somebody who uses a server over HTTP only, on several threads at once, whatever becomes of the
 * server; and who keeps a record of what it was promised.
 */
import type { Random } from './random.ts'

/** Where requests go: the address may be another one each time. */
export interface Observable {
  url(): Promise<string>
}

/** A run that the server has acknowledged. */
export interface Promised {
  run_id: string
  /** What its steps on the thread are called: `<label>:1`, `<label>:2`, … */
  label: string
  /** How many steps it takes. */
  count: number
  /** The last status that was seen when the run had ended; absent until then. */
  ended?: string
}

export interface ObservedThread {
  thread_id: string
  /** In the order of acknowledgement. */
  promised: Promised[]
}

interface RunAnswer {
  run_id: string
  status: string
}

/** How many runs a thread has waiting before the next one is asked for. */
const AHEAD = 3
/** Then another thread is used: each step of a run tells all the steps of its thread. */
const RUNS_A_THREAD = 25

export class Observer {
  readonly threads: ObservedThread[] = []
  readonly #server: Observable
  readonly #random: Random
  #isStopped = false

  constructor(server: Observable, random: Random) {
    this.#server = server
    this.#random = random
  }

  /** Creates runs on so many threads at once until `stop`; settles when all that was promised has ended. */
  async observe(threads: number): Promise<void> {
    const uses = Array.from({ length: threads }, (_, index) => this.#useMany(`t${index}`))
    await Promise.all(uses)
  }

  stop(): void {
    this.#isStopped = true
  }

  /** How many runs were seen to have ended. */
  get ended(): number {
    return this.threads.flatMap(({ promised }) => promised).filter((run) => run.ended).length
  }

  async #useMany(name: string): Promise<void> {
    for (let number = 0; !this.#isStopped; number += 1) await this.#useOne(`${name}-${number}`)
  }

  async #useOne(name: string): Promise<void> {
    const { thread_id } = await this.#ask<{ thread_id: string }>('POST', '/threads', {})
    const thread: ObservedThread = { thread_id, promised: [] }
    this.threads.push(thread)
    for (let number = 0; number < RUNS_A_THREAD && !this.#isStopped; number += 1) {
      await this.#createRun(thread, `${name}-${number}`)
      const oldest = thread.promised.at(-AHEAD)
      if (oldest) await this.#awaitEnd(thread, oldest)
    }
    for (const run of thread.promised) await this.#awaitEnd(thread, run)
  }

  /** A request that breaks off promises nothing: the run may be there, or not. */
  async #createRun({ thread_id, promised }: ObservedThread, label: string): Promise<void> {
    const count = this.#random.between(2, 6)
    const input = { label, count, ms: this.#random.between(5, 40) }
    const body = { assistant_id: 'slow', input, multitask_strategy: 'enqueue' }
    const run = await this.#try<RunAnswer>('POST', `/threads/${thread_id}/runs`, body)
    if (run) promised.push({ run_id: run.run_id, label, count })
  }

  async #awaitEnd({ thread_id }: ObservedThread, run: Promised): Promise<void> {
    if (run.ended) return
    const path = `/threads/${thread_id}/runs/${run.run_id}`
    await this.#ask('GET', `${path}/join`)
    run.ended = (await this.#ask<RunAnswer>('GET', path)).status
  }

  /** Asks again until there is an answer: only for what may happen twice. */
  async #ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    for (;;) {
      const answer = await this.#try<T>(method, path, body)
      if (answer !== undefined) return answer
    }
  }

  /** `undefined` when the request broke off, or there is no database now. Throws when the server refused it. */
  async #try<T>(method: string, path: string, body?: unknown): Promise<T | undefined> {
    const url = await this.#server.url()
    const answer = await exchange(`${url}${path}`, method, body)
    if (!answer || answer.isUnavailable) return undefined
    if (!answer.isOk) throw new Error(`${method} ${path} was refused: ${answer.text}`)
    return JSON.parse(answer.text)
  }
}

async function exchange(url: string, method: string, body: unknown) {
  try {
    const response = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { ok: isOk, status } = response
    return { isOk, isUnavailable: status === 503, text: await response.text() }
  } catch {
    return undefined
  }
}
