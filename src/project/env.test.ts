// biome-ignore-all lint/suspicious/noTemplateCurlyInString: env files have placeholders of this form
import { expect, it } from 'vitest'
import { parseEnvFile } from './env.ts'

const AROUND = (line: string) => `B=base\n${line}\nZ=end\n`

/** What `A` is by each language's rules; `undefined`: not set. */
const LINES: [line: string, python: string | undefined, javascript: string | undefined][] = [
  ['A=pa#ss', 'pa#ss', 'pa'],
  ['A=https://x.example/#/room', 'https://x.example/#/room', 'https://x.example/'],
  ['A=x # note', 'x', 'x'],
  ['A= # note', '', ''],
  ['A="x # y" # note', 'x # y', 'x # y'],
  ["A='x # y'", 'x # y', 'x # y'],
  ['A={"k": "v", "n": [1, 2]}', '{"k": "v", "n": [1, 2]}', '{"k": "v", "n": [1, 2]}'],
  ['A=$B/x', '$B/x', '$B/x'],
  ['A=${B}/x', 'base/x', '${B}/x'],
  ["A='${B}/x'", 'base/x', '${B}/x'],
  ['A=${OUTSIDE}', 'outside', '${OUTSIDE}'],
  ['A=${NONE:-other}', 'other', '${NONE:-other}'],
  ['A=x${NONE}y', 'xy', 'x${NONE}y'],
  ['A="tab\\there"', 'tab\there', 'tab\\there'],
  ['A="two\\nlines"', 'two\nlines', 'two\nlines'],
  ["A='two\\nlines'", 'two\\nlines', 'two\\nlines'],
  ['A="one\ntwo"', 'one\ntwo', 'one\ntwo'],
  ['A = spaced ', 'spaced', 'spaced'],
  ['A=', '', ''],
  ['A', undefined, undefined],
  ['export A=1', '1', '1'],
  ["A='it\\'s'", "it's", "it\\'s"],
  ['A=`tick`', '`tick`', 'tick'],
  ['A="x"y', undefined, '"x"y'],
  ['A="unclosed', undefined, '"unclosed'],
  ["'A'=quoted", 'quoted', undefined],
  ['A: yaml', undefined, 'yaml'],
  ['A=1\r', '1', '1'],
  ['# A=1', undefined, undefined],
  ['A=ü中', 'ü中', 'ü中'],
]

it.each(LINES)(
  'reads %j as the libraries of both languages do',
  async (line, python, javascript) => {
    const read = async (language: 'python' | 'javascript') => {
      const { A, B, Z } = await parseEnvFile(AROUND(line), language, { OUTSIDE: 'outside' })
      expect({ B, Z }).toEqual({ B: 'base', Z: 'end' })
      return A
    }
    expect([await read('python'), await read('javascript')]).toEqual([python, javascript])
  },
)

it('takes variables of the file before those of the environment', async () => {
  const text = 'B=file\nA=${B}\nC=${LATER:-none}\nLATER=1\nB=again'
  const values = await parseEnvFile(text, 'python', { B: 'environment', A: 'environment' })
  expect(values).toEqual({ A: 'file', B: 'again', C: 'none', LATER: '1' })
})

it('passes over a byte order mark', async () => {
  expect(await parseEnvFile('\uFEFFA=1', 'python', {})).toEqual({ A: '1' })
  expect(await parseEnvFile('\uFEFFA=1', 'javascript', {})).toEqual({ A: '1' })
})
