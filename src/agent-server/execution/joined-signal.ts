/**
 * A signal that aborts as the first of several does. It has to be stopped.
 *
 * `AbortSignal.any` does the same without being stopped, with weak references: what those lead to, which is all that
 * listens, outlives the short garbage collections. For a run that is all it has.
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
