/** What a project's embeddings make of texts. */

/**
 * One vector for each text, in their order, each as long as `store.index.dims` says. Throws `unavailable`
 * where the project's code fails, and `bad_request` where it answers something else.
 */
export type Embed = (texts: string[]) => Promise<number[][]>
