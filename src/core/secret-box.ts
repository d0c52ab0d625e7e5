/** Seals what must not stand readable in the database, and opens it again. */
export interface SecretBox {
  /** `place` names the row and column; nowhere else does the sealed text open. */
  seal(plain: string, place: string): string
  /**
   * The text that was sealed for this place. Throws `internal` when it was sealed with a key that is
   * not known here or for another place, was changed, or is no sealed text.
   */
  open(sealed: string, place: string): string
  /** The same text for the same place, under the present key. Throws as `open`. */
  reseal(sealed: string, place: string): string
  /** How everything begins that is sealed with the present key. */
  readonly sealedPrefix: string
  /** From now on this is the present key: 32 bytes, or `bad_request`. What was sealed still opens. */
  changeKey(key: Buffer): void
}

/** A box that seals with this key, and opens with the older ones too: 32 bytes each, or `bad_request`. */
export type CreateSecretBox = (key: Buffer, older: readonly Buffer[]) => SecretBox
