/** The echo graph in a process of its own, with nothing around it but a checkpointer. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { stoppable } from './server.ts'
import type { Talk } from './talk.ts'

/** One measurement of the process; times are milliseconds, the runs of each on new threads. */
export type Asked =
  /** Runs per second with this many clients: a number. */
  | { what: 'rate'; clients: number; ms: number }
  /** `graph.invoke`, one after the other: a time for each. */
  | { what: 'invoke'; times: number }
  /** First values of `graph.stream`, one after the other: a time for each. */
  | { what: 'first chunk'; times: number }
  /** Turns of conversations: `said`. */
  | ({ what: 'talk' } & Talk)

export interface BareGraph {
  pid: number
  /** One at a time. Rejects when the process has ended. */
  ask<Answer>(asked: Asked): Promise<Answer>
  /** A second call is harmless. */
  stop(): Promise<void>
}

/** `place`: the saver's file or URL; the savers must be installed. */
export function startBareGraph(kind: 'none' | 'sqlite' | 'postgres', place = ''): BareGraph {
  const child = fork(join(import.meta.dirname, 'invoke.ts'), [kind, place])
  const ended = once(child, 'exit')
  const early = ended.then(() => Promise.reject(new Error(`The bare graph (${kind}) ended.`)))
  early.catch(() => {})
  return {
    ...stoppable(child),
    async ask<Answer>(asked: Asked) {
      child.send(asked)
      const [answer] = (await Promise.race([once(child, 'message'), early])) as unknown[]
      return answer as Answer
    },
  }
}
