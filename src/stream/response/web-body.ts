/** A body that a `Response` reads. */
import type { Body } from './body.ts'

export class WebBody implements Body {
  readonly readable: ReadableStream<Uint8Array>
  readonly #left = new AbortController()
  readonly #encoder = new TextEncoder()
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #isEnded = false
  #wake: () => void = () => {}

  constructor() {
    this.readable = new ReadableStream({
      start: (controller) => {
        this.#controller = controller
      },
      pull: () => this.#wake(),
      cancel: () => {
        this.#left.abort()
        this.#wake()
      },
    })
  }

  get left(): AbortSignal {
    return this.#left.signal
  }

  get isBehind(): boolean {
    return (this.#controller?.desiredSize ?? 1) <= 0
  }

  async write(text: string | Uint8Array): Promise<void> {
    if (this.#left.signal.aborted || this.#isEnded) return
    const bytes = typeof text === 'string' ? this.#encoder.encode(text) : text
    this.#controller?.enqueue(bytes)
    if (!this.isBehind) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
  }

  end(): void {
    if (this.#left.signal.aborted || this.#isEnded) return
    this.#isEnded = true
    this.#controller?.close()
  }

  destroy(): void {
    if (this.#left.signal.aborted || this.#isEnded) return
    this.#isEnded = true
    this.#controller?.error(new Error('The stream was cut before its end; reconnect.'))
  }
}
