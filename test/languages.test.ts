import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { DIFFERENCES, TRANSCRIPTS } from './languages.ts'

const root = resolve(import.meta.dirname, '..')

it('docs/python.md tells each difference with its reason, and no other', () => {
  const page = readFileSync(join(root, 'docs/python.md'), 'utf8')
  const [, section = ''] = /^## Differences$(.*?)(?=^## )/ms.exec(page) ?? []
  const rows = section.split('\n').filter((line) => /^\| (?!in Python|---)/.test(line))
  const wanted = Object.values(DIFFERENCES).map(({ what, why }) => `| ${what} | ${why} |`)
  expect(rows).toEqual(wanted)
})

it('the transcripts that Python graphs have otherwise are those that are there', () => {
  const files = readdirSync(join(import.meta.dirname, 'golden/python'))
  const names = files.filter((file) => file.endsWith('.txt')).map((file) => file.slice(0, -4))
  expect(names.toSorted()).toEqual(Object.keys(TRANSCRIPTS).toSorted())
})
