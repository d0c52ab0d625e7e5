/** What no honest client sends: texts, values and bodies that break careless servers. */
import fc from 'fast-check'

const TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff',
  '\u202e\ufeff\u0000',
  '🏴‍☠️e\u0301',
  'ﷺ'.repeat(50),
  '../../etc/passwd',
  '%00',
  '%',
  '{}',
  '[]',
  'null',
  'NaN',
  '-1',
  '1e400',
  '9007199254740993',
  "' OR 1=1 --",
  '<script>',
  '__proto__',
  'constructor',
  '*',
  '00000000-0000-0000-0000-000000000000',
  '2026-13-45T99:99:99Z',
  'x'.repeat(70_000),
]

export const hostileText = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.array(fc.integer({ min: 0xd7f0, max: 0xe00f }), { maxLength: 5 }).map(fromCodeUnits),
)

/** JSON that JavaScript would round, cannot hold or write; `asJson` puts it in as it is. */
const RAW = [
  ...['1e400', '-1e400', '123456789012345678901234567890', '-0', '1e-400', '0.1e1'],
  nested('[', ']', 30_000),
  nested('{"a":', '}', 20_000, '1'),
]

const extreme = fc.oneof(
  fc.constantFrom(-1, 0, 1.5, 1e300, -1e300, 2 ** 31, 2 ** 53, 2 ** 63, Number.MIN_VALUE),
  fc.constantFrom(...RAW).map((raw) => `@@raw:${raw}@@`),
)

const KEYS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '$ref', 'a.b', '\0']

/** Any JSON value, made of what hurts. */
export const hostileJson: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false),
    hostileText,
    extreme,
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...KEYS), hostileText), tie('value')), {
        maxLength: 3,
      })
      // Unlike an assignment it makes a field of `__proto__`.
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value

/** The value as JSON, with what is raw as such. */
export function asJson(value: unknown): string {
  return (JSON.stringify(value) ?? '').replace(/"@@raw:([^@]*)@@"/g, '$1')
}

/** The percent-encoded form, for every text: lone surrogates too, which have no UTF-8. */
export function percentEncoded(text: string): string {
  return [...Buffer.from(text)].map(encodeByte).join('')
}

/** Pieces of an address that are not, or oddly, encoded. */
export const MALFORMED_PIECES = [
  '%',
  '%zz',
  '%00',
  '%c3%28',
  '%ff',
  '%2e%2e%2f',
  '%u0041',
  ';',
  '=',
]

/** Bodies that are no JSON, or hardly. */
export const hostileBody: fc.Arbitrary<Buffer> = fc.oneof(
  fc
    .constantFrom(
      '',
      '{',
      '[',
      'null',
      '"',
      '{"a":1}}',
      '{"a":1,"a":2}',
      '\ufeff{}',
      'assistant_id=agent',
      '{"__proto__":{"polluted":true}}',
      `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
      `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
      `{"assistant_id":"agent","input":${'['.repeat(2_000)}${']'.repeat(2_000)}}`,
    )
    .map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  hostileJson.map((value) => Buffer.from(asJson(value))),
)

function nested(open: string, close: string, depth: number, core = ''): string {
  return open.repeat(depth) + core + close.repeat(depth)
}

function fromCodeUnits(units: number[]): string {
  return String.fromCharCode(...units)
}

function encodeByte(byte: number): string {
  const character = String.fromCharCode(byte)
  return /[\w.~-]/.test(character)
    ? character
    : `%${byte.toString(16).padStart(2, '0').toUpperCase()}`
}
