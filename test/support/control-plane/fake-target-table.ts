/** A second `TargetTable`, in memory: it serves nobody and can be looked at. */
import {
  type Activity,
  CLOSED,
  type Entrance,
  type Hold,
  type ReferringTable,
  type Target,
  type TargetState,
} from '../../../src/core/deployment/target.ts'

export class FakeTargetTable implements ReferringTable {
  /** What each name leads to; absent: 404. */
  readonly names = new Map<string, Target | 'held' | 'paused'>()
  /** Every call, in order: `set a <revision>`, `hold a`, `pause a`, `remove a`, `drain <revision>`. */
  readonly calls: string[] = []
  /** Revisions with requests that stay open until the test ends them. */
  readonly busy = new Map<string, PromiseWithResolvers<void>>()

  /** What was last asked of a name that is held. */
  readonly holds = new Map<string, Hold>()
  /** What the requests of a name are said to do; absent: there was none. */
  readonly activities = new Map<string, Activity>()

  /** Names that sleep and were asked for. */
  readonly #wanted = new Set<string>()

  /** Where others answer. */
  readonly referred = new Map<string, string | null>()

  refer(name: string, { url }: { url: string | null }): void {
    this.referred.set(name, url)
  }

  /** How each name is entered, where somebody has said. */
  readonly entrances = new Map<string, Entrance>()

  entrance(name: string): Entrance {
    return this.entrances.get(name) ?? CLOSED
  }

  enter(name: string, entrance: Entrance): void {
    this.entrances.set(name, entrance)
  }

  observe(name: string): TargetState {
    const target = this.names.get(name)
    if (target === undefined) return { kind: 'unknown' }
    if (typeof target === 'object') return { kind: 'serving', ...target }
    const isAsleep = this.holds.get(name)?.onRequest !== undefined
    if (target === 'paused' || !isAsleep) return { kind: target } as TargetState
    return { kind: 'asleep', isWanted: this.#wanted.has(name) }
  }

  set(name: string, target: Target): void {
    this.calls.push(`set ${name} ${target.revision_id}`)
    this.names.set(name, target)
  }

  hold(name: string, hold: Hold): void {
    this.calls.push(`hold ${name}`)
    this.names.set(name, 'held')
    this.#wanted.delete(name)
    const { onRequest } = hold
    const noteRequest = () => {
      this.#wanted.add(name)
      onRequest?.()
    }
    this.holds.set(name, onRequest ? { ...hold, onRequest: noteRequest } : hold)
  }

  pause(name: string): void {
    this.calls.push(`pause ${name}`)
    this.names.set(name, 'paused')
  }

  remove(name: string): void {
    this.calls.push(`remove ${name}`)
    this.names.delete(name)
    this.entrances.delete(name)
  }

  activity(name: string): Activity {
    return this.activities.get(name) ?? { open: 0, last_at: 0 }
  }

  async drain({ revision_id }: { revision_id: string }, limitMs: number): Promise<void> {
    this.calls.push(`drain ${revision_id} ${limitMs}`)
    await this.busy.get(revision_id)?.promise
  }

  /** The revision that the name leads to. */
  revisionOf(name: string): string | undefined {
    const target = this.names.get(name)
    return typeof target === 'object' ? target.revision_id : undefined
  }

  /** Keeps a request to the revision open. Answers how to end it. */
  occupy(revision_id: string): () => void {
    const request = Promise.withResolvers<void>()
    this.busy.set(revision_id, request)
    return () => {
      this.busy.delete(revision_id)
      request.resolve()
    }
  }
}
