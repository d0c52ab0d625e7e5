/**
 * Progress of long work: on a terminal one changing line with the step, the time so far and the last message;
 * elsewhere a line for each message.
 */
import { stripVTControlCharacters } from 'node:util'
import { createLogUpdate } from 'log-update'
import { say } from './output.ts'
import { statusColour, styleAside } from './style.ts'

const FRAMES = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏']
const FRAME_MS = 100
/** The lines before a failure that a terminal still shows. */
const LAST_LINES = 20

interface Progress {
  /** Begins a step, and ends the one before. */
  step(name: string): void
  /** Shows a message of the step. */
  line(text: string): void
  /** Ends the progress. `hasFailed`: shows the last messages. */
  end(hasFailed: boolean): void
}

export function startProgress(): Progress {
  return process.stderr.isTTY ? new TerminalProgress() : new PlainProgress()
}

class PlainProgress implements Progress {
  step(name: string): void {
    say(name)
  }

  line(text: string): void {
    say(`  ${text}`)
  }

  end(): void {}
}

class TerminalProgress implements Progress {
  readonly #startedAt = Date.now()
  readonly #screen = createLogUpdate(process.stderr)
  readonly #timer = setInterval(() => this.#draw(), FRAME_MS).unref()
  readonly #lines: string[] = []
  #step: string | undefined
  #frame = 0

  step(name: string): void {
    this.#finishStep()
    this.#step = name
    this.#draw()
  }

  line(text: string): void {
    this.#lines.push(stripVTControlCharacters(text))
    if (this.#lines.length > LAST_LINES) this.#lines.shift()
  }

  end(hasFailed: boolean): void {
    clearInterval(this.#timer)
    this.#finishStep()
    this.#screen.done()
    if (hasFailed) for (const line of this.#lines) say(`  ${line}`)
  }

  /** Finished steps stay on the terminal, above the changing line. */
  #finishStep(): void {
    this.#screen.clear()
    if (this.#step !== undefined) say(`${this.#named(this.#step)} ${this.#elapsed()}`)
    this.#step = undefined
  }

  #draw(): void {
    if (this.#step === undefined) return
    this.#frame = (this.#frame + 1) % FRAMES.length
    const head = `${FRAMES[this.#frame]} ${this.#step} ${elapsed(Date.now() - this.#startedAt)}`
    const room = Math.max((process.stderr.columns ?? 80) - head.length - 3, 0)
    const last = (this.#lines.at(-1) ?? '').slice(0, room)
    this.#screen(`${head}  ${styleAside('dim', last)}`)
  }

  #named(step: string): string {
    const colour = statusColour(step)
    return colour ? styleAside(colour, step) : step
  }

  #elapsed(): string {
    return styleAside('dim', elapsed(Date.now() - this.#startedAt))
  }
}

/** `0:07`, `12:40` */
function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
