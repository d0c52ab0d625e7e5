/** Where clients find a server: as its settings say, else where it listens, once it does. */
export class Address {
  readonly #isGiven: boolean
  #url: string

  /** `publicUrl`: what the settings say, without a slash at the end. */
  constructor(publicUrl: string | undefined) {
    this.#isGiven = publicUrl !== undefined
    this.#url = publicUrl ?? ''
  }

  /** Without a slash at the end; empty while it is not known. */
  get url(): string {
    return this.#url
  }

  listensAt(url: string): void {
    if (!this.#isGiven) this.#url = url
  }
}
