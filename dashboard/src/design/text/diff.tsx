import { DIFF_DELETE, DIFF_EQUAL, diff_match_patch } from '@dmsnell/diff-match-patch'

/** Longer texts are shown whole: a diff of two books is of no use. */
const MAX_LENGTH = 20_000

/** Characters of unchanged text around a change. */
const CONTEXT = 80

/** One text with its deletions and insertions marked. */
export function TextDiff({ before, after }: { before: string; after: string }) {
  return (
    <span className="whitespace-pre-wrap wrap-anywhere">
      {piecesOf(before, after).map(({ kind, text }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never move
        <Piece key={place} kind={kind} text={text} isFirst={place === 0} />
      ))}
    </span>
  )
}

function Piece({ kind, text, isFirst }: { kind: Kind; text: string; isFirst: boolean }) {
  if (kind === 'gone')
    return <del className="rounded-sm bg-bad-soft text-bad line-through">{text}</del>
  if (kind === 'new')
    return <ins className="rounded-sm bg-good-soft text-good no-underline">{text}</ins>
  return <span>{shorten(text, isFirst)}</span>
}

type Kind = 'same' | 'gone' | 'new'

function piecesOf(before: string, after: string): { kind: Kind; text: string }[] {
  if (before.length + after.length > MAX_LENGTH)
    return [
      { kind: 'gone', text: before },
      { kind: 'new', text: after },
    ]
  const words = new WordTable()
  const patch = new diff_match_patch()
  patch.Diff_Timeout = 0.2
  const diffs = patch.diff_main(words.encode(before), words.encode(after), false)
  patch.diff_cleanupSemantic(diffs)
  return diffs.map(([operation, text]) => ({
    kind: kindOf(operation),
    text: words.decode(String(text)),
  }))
}

/** Maps each word to one character, so that the diff compares words and not letters. */
class WordTable {
  readonly #words: string[] = []
  readonly #places = new Map<string, number>()

  encode(text: string): string {
    const words = text.match(/[\p{L}\p{N}_]+|\s+|./gsu) ?? []
    return words.map((word) => String.fromCharCode(this.#placeOf(word))).join('')
  }

  decode(text: string): string {
    return Array.from(text, (one) => this.#words[one.charCodeAt(0) - 1]).join('')
  }

  #placeOf(word: string): number {
    const known = this.#places.get(word)
    if (known !== undefined) return known
    const place = this.#words.push(word)
    this.#places.set(word, place)
    return place
  }
}

function kindOf(operation: unknown): Kind {
  if (operation === DIFF_EQUAL) return 'same'
  return operation === DIFF_DELETE ? 'gone' : 'new'
}

/** In the first piece only the end is next to a change. */
function shorten(text: string, isFirst: boolean): string {
  if (text.length <= 2 * CONTEXT + 3) return text
  const head = isFirst ? '' : text.slice(0, CONTEXT)
  return `${head} … ${text.slice(-CONTEXT)}`
}
