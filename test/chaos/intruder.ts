/** A deployment whose graph means harm: `test/fixtures/projects/intruder`. */
import { RolledOut } from './rollouts.ts'

const NAME = 'intruder'

/** What one agent server of it may take. */
const LIMITS = {
  ...{ min_scale: 1, max_scale: 1, cpu: 0.1, cpu_limit: 0.5 },
  ...{ memory_mb: 128, memory_limit_mb: 384 },
}
/** Beside what it may: the clock of its limit is coarse. */
export const MOST_PROCESSORS = 0.75

export interface Targets {
  /** Texts that no environment is to hold. */
  marks: string[]
  readable: string[]
  writable: string[]
  /** `http://…` or `HOST:PORT`. */
  addresses: string[]
  /** For the PostgreSQL that it logs in to; none: it is not asked. */
  statements: string[]
}

interface Seen {
  /** Those of `Targets` that it found, could read, could write. */
  marks: string[]
  readable: string[]
  writable: string[]
  /** A status, `open` or `closed` for each address. */
  reached: string[]
  /** `refused`, or how many rows, for each statement. */
  answers: string[]
}

type Runyard = Parameters<RolledOut['create']>[0]

export class Intruder {
  readonly #deployed = new RolledOut(NAME, {
    ...{ project: NAME, isInstalled: true, resource_spec: LIMITS },
  })

  create(runyard: Runyard) {
    return this.#deployed.create(runyard)
  }

  async look(runyard: Runyard, targets: Targets): Promise<Seen> {
    return (await run(runyard, 'look', { targets })).seen as Seen
  }

  /**
   * Answers how the process ended that took memory, how many processes there were, or how many processors it had.
   * `undefined`: it did not get to an answer, since its agent server had to end as well.
   */
  async take(runyard: Runyard, what: 'memory' | 'processes' | 'processors'): Promise<unknown> {
    const answer = await run(runyard, 'take', { what }).catch(() => undefined)
    return answer?.taken
  }

  async remove(runyard: Runyard): Promise<void> {
    await runyard.call('DELETE', this.#deployed.path)
    this.#deployed.remove()
  }
}

async function run(
  runyard: Runyard,
  assistant_id: string,
  input: object,
): Promise<Record<string, unknown>> {
  const path = `/agents/${NAME}/runs/wait`
  return (await runyard.call('POST', path, { assistant_id, input })).body as Record<string, unknown>
}
