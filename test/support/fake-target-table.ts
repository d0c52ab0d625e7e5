/** A second `TargetTable`, in memory: it serves nobody and can be looked at. */
import type { Target, TargetTable } from '../../src/core/target.ts'

export class FakeTargetTable implements TargetTable {
  /** What each name leads to; absent: 404. */
  readonly names = new Map<string, Target | 'paused'>()
  /** Every call, in order: `set a <revision>`, `pause a`, `remove a`, `drain <revision>`. */
  readonly calls: string[] = []
  /** Revisions with requests that stay open until the test ends them. */
  readonly busy = new Map<string, PromiseWithResolvers<void>>()

  set(name: string, target: Target): void {
    this.calls.push(`set ${name} ${target.revision_id}`)
    this.names.set(name, target)
  }

  pause(name: string): void {
    this.calls.push(`pause ${name}`)
    this.names.set(name, 'paused')
  }

  remove(name: string): void {
    this.calls.push(`remove ${name}`)
    this.names.delete(name)
  }

  async drain(revision_id: string, limitMs: number): Promise<void> {
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
