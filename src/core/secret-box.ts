/** Encrypts and decrypts secrets in the database. */
export interface SecretBox {
  /**
   * Encrypts a text for a place. `place` names the row and column; the text cannot be opened at any other
   * place.
   */
  seal(plain: string, place: string): string
  /**
   * Decrypts a text of this place. Throws `internal` when its key is not known here, when it belongs to
   * another place, or when it was changed or is not encrypted at all.
   */
  open(sealed: string, place: string): string
  /** The text for the same place, encrypted with the present key. Throws like `open`. */
  reseal(sealed: string, place: string): string
  /** The prefix of every text that the present key encrypted. */
  readonly sealedPrefix: string
  /**
   * Makes this the present key: 32 bytes, otherwise throws `bad_request`. Texts of the older keys can
   * still be opened.
   */
  changeKey(key: Buffer): void
}

/** A box for the agent server, whose texts are never re-encrypted with another key. */
export type CredentialBox = Pick<SecretBox, 'seal' | 'open'>

/**
 * Makes a box that encrypts with `key` and also opens texts of the older keys. Each has 32 bytes;
 * otherwise throws `bad_request`.
 */
export type CreateSecretBox = (key: Buffer, older: readonly Buffer[]) => SecretBox
