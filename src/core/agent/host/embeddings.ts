/** The vectors that a project's embeddings compute for texts. */

/**
 * One vector for each text, in the same order, of the length `store.index.dims`. Throws `unavailable` when the
 * project's code fails, and `bad_request` when it returns something else.
 */
export type Embed = (texts: string[]) => Promise<number[][]>
