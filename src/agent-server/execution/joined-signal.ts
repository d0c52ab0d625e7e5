/**
 * A signal that aborts with the first of several. Call `stop` after use.
 *
 * `AbortSignal.any` needs no `stop`, but uses weak references: their targets, which include all listeners, outlive
 * the short garbage collections. For a run that is all its memory.
 */
export class JoinedSignal {
  readonly #controller = new AbortController()
  readonly #sources: readonly AbortSignal[]
  readonly #onAbort = ({ target }: Event) => this.#follow(target as AbortSignal)

  constructor(sources: readonly AbortSignal[]) {
    this.#sources = sources
    for (const source of sources) {
      if (source.aborted) this.#follow(source)
      else source.addEventListener('abort', this.#onAbort)
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  stop(): void {
    for (const source of this.#sources) source.removeEventListener('abort', this.#onAbort)
  }

  #follow({ reason }: AbortSignal): void {
    this.#controller.abort(reason)
  }
}
