// biome-ignore-all lint/suspicious/noTemplateCurlyInString: env files have placeholders of this form
/** Env files of Python projects, beside what python-dotenv itself makes of them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseEnvFile } from '../../src/project/env.ts'
import { installHostPython, NO_PYTHON } from '../support/hosts/python.ts'
import { runNow } from '../support/processes/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const skipped = NO_PYTHON ? ` (skipped: ${NO_PYTHON})` : ''
const ENVIRONMENT = { OUTSIDE: 'outside', A: 'environment' }

/** Reads the texts of a JSON file, and prints what `langgraph dev` would set. */
const SCRIPT = `
import json, logging, os, sys, tempfile
from dotenv import dotenv_values
logging.disable(logging.CRITICAL)
os.environ.clear()
os.environ.update(json.loads(sys.argv[1]))
said = []
for text in json.load(open(sys.argv[2], encoding="utf-8")):
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        said.append({k: v for k, v in dotenv_values(file.name).items() if v is not None})
print(json.dumps(said))`

/** Pieces that mean something to one of the parsers, and some that mean nothing. */
const PIECES = [
  ...[
    'A',
    'B',
    'a.b',
    'A-B',
    '=',
    ' = ',
    '\n',
    '\r\n',
    '\r',
    '\n\n',
    ' ',
    '\t',
    '#',
    ' # note',
    ':',
  ],
  ...[
    '"',
    "'",
    '`',
    '\\',
    '\\n',
    '\\"',
    "\\'",
    '\\t',
    '\\x',
    '$',
    '${B}',
    '${A}',
    '${OUTSIDE}',
    '${NONE:-x}',
  ],
  ...[
    '${',
    '}',
    'export ',
    'export',
    'pa#ss',
    'x',
    '1',
    '{"k": "v"}',
    'https://x.example/#/a?b=c',
    'ü中',
  ],
  ...['\uFEFF', '\u00a0', '\u0085', '\u2028', '\u001f', '\v', '\f'],
]

describe.skipIf(NO_PYTHON)(`python-dotenv${skipped}`, { timeout: 240_000 }, () => {
  let python: string
  beforeAll(async () => {
    python = await installHostPython()
  }, 240_000)

  const compare = async (texts: string[]) => {
    const folder = temporaryFolder()
    const file = join(folder, 'texts.json')
    await writeFile(file, JSON.stringify(texts))
    const theirs = JSON.parse(runNow(python, ['-c', SCRIPT, JSON.stringify(ENVIRONMENT), file]))
    for (const [at, text] of texts.entries()) {
      const ours = await parseEnvFile(text, 'python', ENVIRONMENT)
      expect({ text, read: ours }).toEqual({ text, read: theirs[at] })
    }
  }

  it('reads any text the same', async () => {
    const line = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((all) => all.join(''))
    const statement = line.map((rest) => `A=${rest}`)
    const text = fc.array(fc.oneof(line, statement), { maxLength: 4 }).map((all) => all.join('\n'))
    await compare(fc.sample(text, { numRuns: 4000 }))
  })
})
