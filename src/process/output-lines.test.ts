import { expect, it } from 'vitest'
import { createLineSplitter } from './output-lines.ts'

function split(...chunks: string[]): string[] {
  const lines: string[] = []
  const splitter = createLineSplitter((line) => lines.push(line))
  for (const chunk of chunks) splitter.write(new TextEncoder().encode(chunk))
  splitter.end()
  return lines
}

it('hands on whole lines, however they arrive', () => {
  expect(split('one\ntw', 'o\r', '\n\nlast')).toEqual(['one', 'two', '', 'last'])
})

it('puts a character together that arrives in two parts', () => {
  const lines: string[] = []
  const splitter = createLineSplitter((line) => lines.push(line))
  const bytes = new TextEncoder().encode('grün\n')
  splitter.write(bytes.slice(0, 3))
  splitter.write(bytes.slice(3))
  expect(lines).toEqual(['grün'])
})

it('shows the last state of a line that rewrites itself, without colours', () => {
  expect(split('10%\r50%\r\u001b[32m100%\u001b[0m\n')).toEqual(['100%'])
})

it('cuts lines that do not end, so that they take bounded memory', () => {
  expect(split(...Array(100).fill('x'.repeat(1000)), '\nnext\n')).toEqual([
    'x'.repeat(8192),
    'next',
  ])
})
