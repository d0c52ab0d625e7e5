/** One process of the Python host: started, watched, ended with all processes that it started. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Duplex, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { OF_PROJECT } from '../../core/deployment/log-source.ts'
import { HostLost } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Log } from '../../core/log.ts'
import { endGroup, killGroup } from '../../process/group.ts'
import { readLines } from '../../process/output-lines.ts'
import { Blockage, Heartbeat } from './heartbeat.ts'
import { type IncomingCall, Peer } from './peer.ts'
import { readSideLine } from './side.ts'

/** In the package, compiled modules lie one folder further down. */
const TOP = import.meta.url.endsWith('.js') ? '../../../../' : '../../../'
const PROGRAM = fileURLToPath(new URL(`${TOP}hosts/python/run.py`, import.meta.url))
const PROTOCOL_VERSION = 1
/** Time limit for reading the remaining output of a dead process, in ms. */
const LAST_WORDS_MS = 500
/** Time limit for a process to end after its connection ended, in ms. */
const END_MS = 2_000
/** The reason to end a process that closed its connection. */
const LEFT = 'has closed its connection, and was ended'
/** How many lines of standard error are reported if a process ends while it starts. */
const KEPT_LINES = 15

/** How the project's code and the host run. */
export interface Program {
  /** The Python; absolute. */
  python: string
  /** The folder of `langgraph.json`. */
  root: string
  env: Readonly<Record<string, string>>
  /** `config` of `start`. */
  config: JsonObject
}

interface ProcessParts {
  /** Which of several: 0 is the one with auth, routes and embeddings. */
  index: number
  onCall: (call: IncomingCall) => Promise<unknown>
  onNote: (method: string, params: Record<string, unknown>) => void
  /** Called with each step of its start; only the first process reports them. */
  onStep: (doing: string) => void
  log: Log
}

export class HostProcess {
  readonly peer: Peer
  /** Resolves when it has ended and its output is read; its calls have failed with this error. */
  readonly ended: Promise<HostLost>
  readonly #program: Program
  readonly #parts: ProcessParts
  readonly #child: ChildProcess
  readonly #heartbeat: Heartbeat
  readonly #blockage: Blockage
  readonly #lastLines: string[] = []
  #isWanted = true
  #killedFor: string | undefined
  #closing: Promise<void> | undefined

  constructor(program: Program, parts: ProcessParts) {
    this.#program = program
    this.#parts = parts
    this.#child = spawn(program.python, [PROGRAM], {
      cwd: program.root,
      env: program.env,
      // A group of its own, so that processes that a project started can be ended with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    })
    const { pid } = this.#child
    const log = parts.log.child({ host_pid: pid })
    this.#heartbeat = new Heartbeat({
      onLost: () => this.kill('gave no sign of life, and was ended'),
      log,
    })
    const { onCall, onNote } = parts
    const onBroken = (err: unknown) => {
      log.error({ err }, 'the Python host sent what is no frame: it is ended')
      this.kill('sent an unknown message, and was ended')
    }
    this.peer = new Peer(this.#connection, { onCall, onNote, onBroken })
    this.#blockage = new Blockage(this.peer)
    this.#readOutput(log)
    this.ended = this.#watch()
  }

  /** Whether a graph blocks its event loop. */
  get isBlocked(): boolean {
    return this.#blockage.isOn
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Loads the project. Throws the error if that fails. */
  async start(logLevel: string): Promise<unknown> {
    const { root, config } = this.#program
    const { index } = this.#parts
    const params = {
      protocol: PROTOCOL_VERSION,
      root,
      config,
      process: index,
      log_level: logLevel,
    }
    return this.peer.call('start', params)
  }

  /** The last lines of its standard error, for people. */
  get lastLines(): string {
    return this.#lastLines.join('\n')
  }

  /** Lets the project's own lifespan end, for `graceMs` at most; then ends the process and its group. */
  async stop(graceMs: number): Promise<void> {
    this.#isWanted = false
    const stopping = this.peer.call('stop', {}).catch(() => {})
    await settledWithin(graceMs, Promise.race([stopping, this.ended]))
    this.#connection.end()
    await settledWithin(END_MS, this.ended)
    this.kill()
    await this.ended
    await this.#closing
  }

  /** Ends it at once, without a report of its end. */
  discard(): void {
    this.#isWanted = false
    this.kill()
  }

  /** `why`: the end of a sentence about the process. */
  kill(why = 'was ended by the server'): void {
    this.#killedFor ??= why
    if (!killGroup(this.#child)) this.#child.kill('SIGKILL')
  }

  get #connection(): Duplex {
    return this.#child.stdio[3] as Duplex
  }

  #readOutput(log: Log): void {
    const { stdout, stderr, stdio } = this.#child
    readLines(stdout, (line) => log.info({ stream: 'stdout', ...OF_PROJECT }, line))
    readLines(stderr, (line) => {
      log.info({ stream: 'stderr', ...OF_PROJECT }, line)
      this.#lastLines.push(line)
      if (this.#lastLines.length > KEPT_LINES) this.#lastLines.shift()
    })
    const onBeat = () => this.#heartbeat.beat()
    const { onStep } = this.#parts
    const side = stdio[4] as Readable
    side.on('error', () => {})
    createInterface({ input: side }).on('line', (line) =>
      readSideLine(line, { onBeat, onBlocked: () => this.#blockage.begin(), onStep, log }),
    )
  }

  async #watch(): Promise<HostLost> {
    // A host without its connection is useless, and its runs go unreported.
    this.#connection.once('end', () => setTimeout(() => this.kill(LEFT), END_MS).unref())
    const how = await howItEnds(this.#child)
    const what = this.#killedFor ?? how
    this.#heartbeat.stop()
    this.#blockage.stop()
    killGroup(this.#child)
    const connection = this.#connection
    if (!connection.readableEnded) {
      await settledWithin(
        LAST_WORDS_MS,
        once(connection, 'end').catch(() => {}),
      )
    }
    const error = new HostLost(`The process of the Python host ${what}.`)
    if (this.#isWanted) {
      const { log, index } = this.#parts
      log.error({ host_pid: this.pid, process: index, calls: this.peer.calls }, error.message)
    }
    this.peer.end(error)
    this.#closing = endGroup(this.#child)
    return error
  }
}

/** The end of a sentence that begins with the process. */
async function howItEnds(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = await once(child, 'exit')
    if (signal === 'SIGKILL') return 'was killed (SIGKILL), perhaps because memory ran out'
    return signal === null ? `has ended with code ${code}` : `has crashed (${signal})`
  } catch (error) {
    return `could not be started: ${(error as Error).message}`
  }
}

async function settledWithin(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, limit])
  clearTimeout(timer)
}
