/** The URL of a server: from its settings, or else where it listens, once it does. */
export class Address {
  readonly #isGiven: boolean
  #url: string

  /** `publicUrl`: from the settings, without a slash at the end. */
  constructor(publicUrl: string | undefined) {
    this.#isGiven = publicUrl !== undefined
    this.#url = publicUrl ?? ''
  }

  /** Without a slash at the end; empty while unknown. */
  get url(): string {
    return this.#url
  }

  listensAt(url: string): void {
    if (!this.#isGiven) this.#url = url
  }
}
