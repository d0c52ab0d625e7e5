/**
 * A client that never stops asking: state reads, whole runs and streams, at a steady pace, without
 * repeating anything but a stream that broke, which it resumes where it was. It notes every answer
 * that is not as it should be.
 */
import { setTimeout as wait } from 'node:timers/promises'

const THREADS = 8
/** Of most runs, and of those that outlast a rollout. */
const SHORT: Work = { count: 3, ms: 40 }
const LONG: Work = { count: 8, ms: 300 }
/** How often a stream may be resumed until it is given up. */
const MOST_RESUMES = 20

/** In this order, again and again. */
const KINDS = [
  ...(['stream', 'state', 'state', 'state', 'run', 'state', 'state', 'state'] as const),
  ...(['stream', 'state', 'state', 'long', 'run', 'state', 'state', 'state'] as const),
]

/** How many steps a run takes, and how long each. */
interface Work {
  count: number
  ms: number
}

export class Prober {
  readonly #base: string
  readonly #headers: Record<string, string>
  readonly #everyMs: number
  readonly #open = new Set<Promise<void>>()
  readonly #threads: string[] = []
  readonly #begunAt = performance.now()
  #isStopped = false
  #running: Promise<void> = Promise.resolve()
  /** What was asked, by kind, how often a stream was resumed, and how many were of a run that was handed on. */
  readonly counts = { state: 0, run: 0, stream: 0, long: 0, resumed: 0, handedOn: 0 }
  /** The revisions that answered. */
  readonly revisions = new Set<string>()
  /** In words; empty when all went well. */
  readonly failures: string[] = []

  /** `base`: the deployment's address. */
  constructor(base: string, key: string, perSecond: number) {
    this.#base = base
    this.#headers = { 'x-api-key': key, 'content-type': 'application/json' }
    this.#everyMs = 1000 / perSecond
  }

  get total(): number {
    const { state, run, stream, long } = this.counts
    return state + run + stream + long
  }

  async start(): Promise<void> {
    for (let i = 0; i < THREADS; i += 1) this.#threads.push(await this.#newThread())
    this.#running = this.#ask()
  }

  /** Settles when all that was asked is answered. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
    await Promise.all(this.#open)
  }

  /** Settles when so many more were asked. */
  async untilMore(count: number): Promise<void> {
    const enough = this.total + count
    while (this.total < enough && this.failures.length === 0) await wait(20)
  }

  async #ask(): Promise<void> {
    const startedAt = performance.now()
    for (let i = 0; !this.#isStopped; i += 1) {
      const kind = KINDS[i % KINDS.length] ?? 'state'
      this.counts[kind] += 1
      this.#note(kind, this[kind](this.#threads[i % THREADS] ?? ''))
      const dueAt = startedAt + (i + 1) * this.#everyMs
      await wait(Math.max(0, dueAt - performance.now()))
    }
  }

  #note(kind: string, asked: Promise<void>): void {
    const since = Math.round((performance.now() - this.#begunAt) / 1000)
    const settled = asked
      .catch((error: unknown) => {
        const cause = (error as { cause?: unknown }).cause
        this.failures.push(`${kind}, asked at ${since} s: ${error}${cause ? ` (${cause})` : ''}`)
      })
      .finally(() => this.#open.delete(settled))
    this.#open.add(settled)
  }

  private async state(thread_id: string): Promise<void> {
    const response = await this.#fetch(`/threads/${thread_id}/state`)
    const { values } = (await response.json()) as { values?: unknown }
    if (typeof values !== 'object') throw new Error('a state without values')
  }

  private async run(): Promise<void> {
    const response = await this.#fetch('/runs/wait', { method: 'POST', body: requestOf(SHORT) })
    const { steps } = (await response.json()) as { steps?: string[] }
    expectSteps(steps?.join(' '), SHORT)
  }

  private stream(): Promise<void> {
    return this.#follow(SHORT)
  }

  private long(): Promise<void> {
    return this.#follow(LONG)
  }

  async #follow(work: Work): Promise<void> {
    const thread_id = await this.#newThread()
    const path = `/threads/${thread_id}/runs/stream`
    let response = await this.#fetch(path, { method: 'POST', body: requestOf(work) })
    const location = response.headers.get('content-location') ?? ''
    const events = new EventReader()
    for (let resumes = 0; !(await events.read(response)); resumes += 1) {
      if (resumes === MOST_RESUMES) throw new Error('a stream that never ends')
      this.counts.resumed += 1
      const headers = { ...this.#headers, 'last-event-id': String(events.lastId) }
      response = await this.#fetch(`${location}/stream`, { headers })
    }
    if (events.begins > 1) this.counts.handedOn += 1
    expectSteps(events.steps.join(' '), work)
  }

  async #newThread(): Promise<string> {
    const response = await this.#fetch('/threads', { method: 'POST', body: '{}' })
    return ((await response.json()) as { thread_id: string }).thread_id
  }

  async #fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(this.#base + path, { headers: this.#headers, ...init })
    if (!response.ok) throw new Error(`${response.status} for ${path}: ${await response.text()}`)
    this.revisions.add(response.headers.get('x-runyard-revision') ?? '')
    return response
  }
}

/** Reads a stream over all its connections, and throws where an event is missing or comes twice. */
class EventReader {
  lastId = -1
  /** How often the run was begun. */
  begins = 0
  /** What the graph said of its steps, as custom events. */
  readonly steps: string[] = []

  /** `true`: the stream ended; `false`: its connection broke. */
  async read(response: Response): Promise<boolean> {
    let text = ''
    const decoder = new TextDecoder()
    try {
      for await (const chunk of response.body ?? []) {
        const parts = (text + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n\n')
        text = parts.pop() ?? ''
        for (const part of parts) this.#take(part)
      }
      return true
    } catch (error) {
      if (error instanceof TypeError) return false
      throw error
    }
  }

  #take(part: string): void {
    const id = /^id: (\d+)$/m.exec(part)?.[1]
    if (id === undefined) return
    if (Number(id) !== this.lastId + 1) throw new Error(`event ${id} after event ${this.lastId}`)
    this.lastId = Number(id)
    if (/^event: metadata$/m.test(part)) this.begins += 1
    const step = /^event: updates$/m.test(part) ? /"steps":\["(a:\d)"\]/.exec(part)?.[1] : undefined
    if (step) this.steps.push(step)
  }
}

function requestOf(work: Work): string {
  const input = { label: 'a', ...work }
  return JSON.stringify({ assistant_id: 'slow', input, stream_mode: ['updates', 'custom'] })
}

function expectSteps(steps: string | undefined, { count }: Work): void {
  const wanted = Array.from({ length: count }, (_, i) => `a:${i + 1}`).join(' ')
  if (steps !== wanted) throw new Error(`the steps "${steps}" instead of "${wanted}"`)
}
