/**
 * Env files as python-dotenv, for which Python projects are written, reads them. `env.test.ts` compares the two
 * line by line.
 */
import type { Environment } from '../settings/values.ts'

/** What Python takes for white space, which is not quite what JavaScript does. */
const BLANKS =
  '\\t\\v\\f\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
const BLANK = `[${BLANKS}]`
const SPACE = `[${BLANKS}\\n]`

const EMPTY_LINES = new RegExp(`${SPACE}*`, 'uy')
const EXPORT = new RegExp(`export${BLANK}+`, 'uy')
const KEY = new RegExp(`'([^']+)'|(?!')([^=#${BLANKS}\\n]+)`, 'uy')
const EQUALS = new RegExp(`${BLANK}*=(${BLANK}*)`, 'uy')
const SINGLE_QUOTED = /'((?:\\.|[^'\\])*)'/suy
const DOUBLE_QUOTED = /"((?:\\.|[^"\\])*)"/suy
const UNQUOTED = /[^\n]*/uy
const END = new RegExp(`(?:${BLANK}*#[^\\n]*)?${BLANK}*(?:\\n|$)`, 'uy')
const REST_OF_LINE = /[^\n]*\n?/uy

const COMMENT = new RegExp(`${SPACE}+#[^\\n]*`, 'u')
const TRAILING = new RegExp(`${SPACE}+$`, 'u')

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ '\\': '\\', "'": "'", '"': '"' },
}

/**
 * The variables of the text, the last of each name. `${NAME}` and `${NAME:-default}` are replaced by variables before
 * it, then by those of `environment`. A name without `=` sets nothing; a line that is no statement is left out.
 */
export function parsePythonEnv(text: string, environment: Environment): Record<string, string> {
  const values = new Map<string, string | undefined>()
  for (const [name, value] of statementsOf(text)) {
    values.set(name, value === undefined ? undefined : expand(value, values, environment))
  }
  const set = [...values].filter((one): one is [string, string] => one[1] !== undefined)
  return Object.fromEntries(set)
}

type Statement = readonly [name: string, value: string | undefined]

function statementsOf(written: string): Statement[] {
  const reader = new Reader(written.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n'))
  const found: Statement[] = []
  while (!reader.isAtEnd()) {
    const statement = readStatement(reader)
    if (statement === 'broken') reader.take(REST_OF_LINE)
    else if (statement) found.push(statement)
  }
  return found
}

/** `undefined`: a comment, or the end. */
function readStatement(reader: Reader): Statement | 'broken' | undefined {
  reader.take(EMPTY_LINES)
  if (reader.isAtEnd()) return undefined
  reader.take(EXPORT)
  const key = reader.isNext('#') ? undefined : reader.take(KEY)
  if (key === undefined && !reader.isNext('#')) return 'broken'
  const equals = key && reader.take(EQUALS)
  const value = equals && readValue(reader, equals[1] !== '')
  if (value === 'broken' || !reader.take(END)) return 'broken'
  return key && [key[1] ?? key[2] ?? '', value?.text]
}

/** `isApart`: a blank precedes it, so that `#` begins a comment. */
function readValue(reader: Reader, isApart: boolean): { text: string } | 'broken' {
  if (isApart && reader.isNext('#')) return { text: '' }
  if (reader.isNext("'")) return unescaped(reader.take(SINGLE_QUOTED), /\\([\\'])/g)
  if (reader.isNext('"')) return unescaped(reader.take(DOUBLE_QUOTED), /\\([\\'"abfnrtv])/g)
  const line = reader.take(UNQUOTED)?.[0] ?? ''
  return { text: line.replace(COMMENT, '').replace(TRAILING, '') }
}

function unescaped(
  quoted: RegExpExecArray | undefined,
  escapes: RegExp,
): { text: string } | 'broken' {
  if (!quoted) return 'broken'
  return { text: (quoted[1] ?? '').replace(escapes, (_, letter: string) => ESCAPES[letter] ?? '') }
}

/** Replaces variables in a value, however it is quoted. */
function expand(
  value: string,
  before: ReadonlyMap<string, string | undefined>,
  environment: Environment,
): string {
  return value.replace(/\$\{([^}:]*)(?::-([^}]*))?\}/g, (_, name: string, fallback = '') =>
    before.has(name) ? (before.get(name) ?? '') : (environment[name] ?? fallback),
  )
}

/** A text that is read from its beginning. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  isNext(letter: string): boolean {
    return this.#text[this.#at] === letter
  }

  /** Takes the text here that matches `form` (sticky) and moves behind it; `undefined`: no match. */
  take(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = this.#at
    const found = form.exec(this.#text) ?? undefined
    if (found) this.#at = form.lastIndex
    return found
  }
}
