/** Several servers on one database that can be killed, paused and continued while others go on. */
import {
  type AgentServerProcess,
  spawnAgentServer,
  temporaryFolder,
} from '../support/agent-server.ts'
import type { Observable } from './observer.ts'
import type { Random } from './random.ts'

/** Short, so that a paused server loses its runs; a killed one loses them anyway. */
const LEASE_MS = 2_000

export class Fleet implements Observable {
  readonly #database: string
  readonly #random: Random
  /** `undefined`: it was killed and is not back yet. */
  readonly #members: (AgentServerProcess | undefined)[] = []
  #dataDir = ''
  #restarts: Promise<unknown> = Promise.resolve()

  constructor(database: string, random: Random) {
    this.#database = database
    this.#random = random
  }

  async start(count: number): Promise<void> {
    this.#dataDir = await temporaryFolder()
    for (let i = 0; i < count; i += 1) this.#members.push(await this.#spawn())
  }

  /** Of one that is there; waits for it where none is. */
  async url(): Promise<string> {
    if (!this.#members.some(Boolean)) await this.#restarts
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
    this.#members[place] = undefined
    await look(victim.pid)
    await victim.kill()
    const back = this.#spawn().then((server) => {
      this.#members[place] = server
    })
    this.#restarts = Promise.all([this.#restarts, back])
    // Whoever waits for it is told.
    this.#restarts.catch(() => {})
  }

  /** Stops one by `pause`, lets `meanwhile` happen, and lets it go on. */
  async pause(
    pause: (send: (signal: NodeJS.Signals) => void) => void,
    meanwhile: () => Promise<void>,
  ): Promise<void> {
    await this.#restarts
    const sleeper = this.#pick()
    const place = this.#members.indexOf(sleeper)
    pause((signal) => sleeper.signal(signal))
    // Nobody asks it anything: it would answer when it wakes.
    this.#members[place] = undefined
    await meanwhile()
    sleeper.signal('SIGCONT')
    this.#members[place] = sleeper
  }

  async stop(): Promise<void> {
    await this.#restarts.catch(() => {})
    for (const member of this.#members.splice(0)) await member?.kill()
  }

  /** With one left, nobody would take up what the last one did. */
  async #untilSeveral(): Promise<void> {
    if (this.#members.filter(Boolean).length < 2) await this.#restarts
  }

  #pick(): AgentServerProcess {
    const there = this.#members.filter((one) => one !== undefined)
    const one = there[this.#random.between(0, there.length - 1)]
    if (!one) throw new Error('No server of the fleet is there.')
    return one
  }

  #spawn(): Promise<AgentServerProcess> {
    return spawnAgentServer(this.#dataDir, { leaseMs: LEASE_MS, database: this.#database })
  }
}
