/** A run of a graph in Python, as the agent server follows it. */
import type { Emission } from '../../core/agent/host/emission.ts'
import { failureOf } from '../../core/agent/host/failure.ts'
import type {
  GraphEnd,
  GraphRun,
  MadeEvent,
  StreamTransform,
  Transformed,
} from '../../core/agent/host/run.ts'
import type { OutgoingCall, Peer } from './peer.ts'

interface RunParts {
  peer: Peer
  /** Its number in the host. */
  run: number
  call: OutgoingCall
  signal: AbortSignal
  /** Whether its stream transformers take part. */
  transforms: boolean
  /** Whether its LangGraph can be asked to stop before a step. */
  drains: boolean
}

/** Has hosts forget runs that are no longer referenced. */
const forgotten = new FinalizationRegistry<{ peer: Peer; run: number }>(({ peer, run }) =>
  peer.note('forget', { run }),
)

export class PythonRun implements GraphRun {
  readonly emissions: AsyncIterable<readonly Emission[]>
  readonly end: Promise<GraphEnd>
  readonly transform?: StreamTransform
  readonly #parts: Pick<RunParts, 'peer' | 'run' | 'drains'>

  constructor({ peer, run, call, signal, transforms, drains }: RunParts) {
    this.#parts = { peer, run, drains }
    const batches = new Batches(call)
    this.emissions = batches
    this.end = endOf(call, signal)
    if (!transforms) return
    batches.areNumbered = true
    this.transform = transformOf(peer, run, batches)
    forgotten.register(this.transform, { peer, run })
  }

  drain(): boolean {
    const { peer, run, drains } = this.#parts
    if (drains) peer.note('drain', { run })
    return drains
  }
}

async function endOf(call: OutgoingCall, signal: AbortSignal): Promise<GraphEnd> {
  try {
    return (await call.answer) as GraphEnd
  } catch (thrown) {
    return signal.aborted ? { kind: 'stopped' } : { kind: 'failed', failure: failureOf(thrown) }
  }
}

/** The run's emissions in batches: each has all that arrived since the last one was taken. */
class Batches implements AsyncIterableIterator<readonly Emission[]> {
  readonly #call: OutgoingCall
  readonly #numbers = new WeakMap<Emission, number>()
  #count = 0
  areNumbered = false

  constructor(call: OutgoingCall) {
    this.#call = call
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** The emission's place in the order of the run's. */
  numberOf(emission: Emission): number | undefined {
    return this.#numbers.get(emission)
  }

  async next(): Promise<IteratorResult<readonly Emission[]>> {
    const { items } = this.#call
    const first = await this.#first()
    if (first.done) return { done: true, value: undefined }
    const more = items.takeAll() as Emission[][]
    const batch = more.length === 0 ? (first.value as Emission[]) : [first.value, ...more].flat()
    if (this.areNumbered) this.#number(batch as Emission[])
    return { done: false, value: batch as Emission[] }
  }

  /** The reader stops: the run is to end. */
  async return(): Promise<IteratorResult<readonly Emission[]>> {
    this.#call.abort()
    await this.#call.items.return()
    return { done: true, value: undefined }
  }

  /** `end` reports how the run failed. */
  async #first(): Promise<IteratorResult<unknown>> {
    try {
      return await this.#call.items.next()
    } catch {
      return { done: true, value: undefined }
    }
  }

  #number(batch: readonly Emission[]): void {
    for (const emission of batch) {
      this.#numbers.set(emission, this.#count)
      this.#count += 1
    }
  }
}

function transformOf(peer: Peer, run: number, batches: Batches): StreamTransform {
  const ask = (method: string, params: Record<string, unknown>) =>
    peer.call(method, { run, ...params })
  return {
    async onEvents(events, of) {
      const number = of && batches.numberOf(of)
      return (await ask('run.on_events', { events, of: number })) as Transformed
    },
    finish: async () => (await ask('run.finish', {})) as MadeEvent[],
    fail: async (error) => (await ask('run.fail', { error })) as MadeEvent[],
  }
}
