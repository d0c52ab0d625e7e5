/**
 * A batch as one statement, which is a transaction of its own: no BEGIN, no COMMIT, and one answer.
 *
 * Measured with an echo run, whose three checkpoints are such batches: 38 statements instead of 55.
 */
import type { Statement } from '../db.ts'

/** The most statements in one. A longer batch gains little, and few batches have the same text. */
const MAX_STATEMENTS = 16
/** The most texts. The connections prepare each of them; other batches go statement by statement. */
const MAX_TEXTS = 100

/** Only statements that read no table: as parts of one statement, none sees the writes of the others. */
const READS_NOTHING = /^\s*INSERT INTO \w+\s*\([^)]*\)\s*VALUES\b(?!.*\bSELECT\b)/s

/** The known texts of batches that begin with the same statements. */
interface Known {
  /** By the next statement's text. */
  next: Map<string, Known>
  /** By the text of `last`. */
  whole: Map<string, string>
}

export class OneStatement {
  readonly #known: Known = nothingKnown()
  #texts = 0

  /**
   * `last` is a SELECT that fails if nothing may be done. `undefined`: the batch has to go statement by statement. Two
   * of its statements may not change the same row: PostgreSQL refuses that as `isTwice`.
   */
  of(statements: readonly Statement[], last: Statement): Statement | undefined {
    if (statements.length === 0 || statements.length > MAX_STATEMENTS) return undefined
    let known: Known | undefined = this.#known
    for (const { sql } of statements) known = known?.next.get(sql)
    const sql = known?.whole.get(last.sql) ?? this.#compose(statements, last)
    if (sql === undefined) return undefined
    return { sql, params: [...statements, last].flatMap(({ params }) => params) }
  }

  #compose(statements: readonly Statement[], last: Statement): string | undefined {
    const isPossible = statements.every(({ sql }) => READS_NOTHING.test(sql))
    if (!isPossible || this.#texts >= MAX_TEXTS) return undefined
    this.#texts += 1
    let known = this.#known
    for (const { sql } of statements) {
      const next = known.next.get(sql) ?? nothingKnown()
      known.next.set(sql, next)
      known = next
    }
    const text = composed(statements, last)
    known.whole.set(last.sql, text)
    return text
  }
}

function nothingKnown(): Known {
  return { next: new Map(), whole: new Map() }
}

/** Each statement's placeholders continue the numbers of the one before. */
function composed(statements: readonly Statement[], last: Statement): string {
  let before = 0
  const texts = [...statements, last].map(({ sql, params }) => {
    const from = before
    before += params.length
    return sql.replace(/\$(\d+)/g, (_, n) => `$${from + Number(n)}`)
  })
  const parts = texts.slice(0, -1).map((text, i) => `s${i} AS (${text})`)
  return `WITH ${parts.join(',\n')}\n${texts.at(-1)}`
}
