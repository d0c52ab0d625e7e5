const DIMS = 256

/**
 * A vector for each text: how often each group of three letters is in it. Texts that share words are
 * near each other; a model in its place knows of meaning too, as `new OpenAIEmbeddings()` does.
 */
export async function embed(texts: string[]): Promise<number[][]> {
  return texts.map((text) => {
    const vector = new Array<number>(DIMS).fill(0)
    for (const group of groupsOf(text)) vector[placeOf(group)] += 1
    return vector
  })
}

function groupsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? []
  return words.flatMap((word) => {
    const padded = ` ${word} `
    return Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3))
  })
}

function placeOf(group: string): number {
  let hash = 0
  for (const letter of group) hash = (hash * 31 + letter.charCodeAt(0)) % 65_521
  return hash % DIMS
}
