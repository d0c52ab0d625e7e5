/** Whether runs may wait that this server did not add, or had no room for: a run that is added now is younger. */
export class Backlog {
  #mayWait = true
  /** Counts the hints of such runs. A look during which it changes has not seen all. */
  #hints = 0

  get mayWait(): boolean {
    return this.#mayWait
  }

  /** Notes a hint of such runs. */
  hint(): void {
    this.#hints += 1
    this.#mayWait = true
  }

  /** Begins a look. The returned function notes that it saw all runs, unless there was a hint since. */
  look(): () => void {
    const before = this.#hints
    return () => {
      if (before === this.#hints) this.#mayWait = false
    }
  }
}
