/** Several servers on one database that can be killed, paused and continued while others go on. */
import { type AgentServerProcess, spawnAgentServer } from '../support/agent/agent-server.ts'
import type { Observable } from './observer.ts'
import type { Random } from './random.ts'

/** Short, so that a paused server loses its runs; a killed one loses them anyway. */
const LEASE_MS = 2_000

/** How long a server is looked for that has something to do. */
const BUSY_LIMIT_MS = 60_000

/** Stops a process by its signals, at a moment at which the others can go on. */
export type Pause = (send: (signal: NodeJS.Signals) => void) => Promise<void>

export class Fleet implements Observable {
  readonly #database: string
  readonly #random: Random
  /** `undefined`: it was killed and is not back yet. */
  readonly #members: (AgentServerProcess | undefined)[] = []
  readonly #restarts: Promise<void>[] = []

  constructor(database: string, random: Random) {
    this.#database = database
    this.#random = random
  }

  async start(count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) this.#members.push(await this.#spawn())
  }

  /** Of one that is there; waits for it where none is. */
  async url(): Promise<string> {
    if (!this.#members.some(Boolean)) await Promise.all(this.#restarts)
    return this.#pick().url
  }

  /**
   * Kills one without a word; another one comes in its place, on its own time. `look` is called with
   * its pid just before.
   */
  async kill(look: (pid: number) => Promise<void>): Promise<void> {
    await this.#untilSeveral()
    const victim = this.#pick()
    const place = this.#members.indexOf(victim)
    await look(victim.pid)
    this.#members[place] = undefined
    await victim.kill()
    const back = this.#spawn().then((server) => {
      this.#members[place] = server
    })
    // Whoever waits for it is told.
    back.catch(() => {})
    this.#restarts.push(back)
  }

  /** Stops one by `pause`, of which `isBusy` says so by its pid, lets `meanwhile` happen, and lets it go on. */
  async pause(
    pause: Pause,
    isBusy: (pid: number) => Promise<boolean>,
    meanwhile: () => Promise<void>,
  ): Promise<void> {
    await Promise.all(this.#restarts)
    const sleeper = await this.#pauseBusy(pause, isBusy)
    const place = this.#members.indexOf(sleeper)
    // Nobody asks it anything: it would answer when it wakes.
    this.#members[place] = undefined
    await meanwhile()
    sleeper.signal('SIGCONT')
    this.#members[place] = sleeper
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.#restarts)
    for (const member of this.#members.splice(0)) await member?.kill()
  }

  /** Most have nothing to do, since who ends a run goes on with its thread's next one. */
  async #pauseBusy(
    pause: Pause,
    isBusy: (pid: number) => Promise<boolean>,
  ): Promise<AgentServerProcess> {
    const deadline = performance.now() + BUSY_LIMIT_MS
    while (performance.now() < deadline) {
      const one = this.#pick()
      await pause((signal) => one.signal(signal))
      if (await isBusy(one.pid)) return one
      one.signal('SIGCONT')
    }
    throw new Error(`No server of the fleet was busy when it was stopped, for ${BUSY_LIMIT_MS} ms.`)
  }

  /** With one left, nobody would take up what the last one did. */
  async #untilSeveral(): Promise<void> {
    if (this.#members.filter(Boolean).length < 2) await Promise.all(this.#restarts)
  }

  #pick(): AgentServerProcess {
    const there = this.#members.filter((one) => one !== undefined)
    const one = there[this.#random.between(0, there.length - 1)]
    if (!one) throw new Error('No server of the fleet is there.')
    return one
  }

  #spawn(): Promise<AgentServerProcess> {
    return spawnAgentServer(this.#database, { leaseMs: LEASE_MS })
  }
}
