import { expect, test } from 'vitest'
import { readEnv } from './env-text.ts'

test('reads the lines of a .env file', () => {
  const text = [
    '# keys',
    'PLAIN=one two # said of it',
    'export TOKEN=abc=def',
    'EMPTY=',
    'QUOTED="with \\"quotes\\" and\\nlines"',
    "SINGLE='# no comment'",
    'KEY="-----BEGIN',
    'two',
    'END-----"',
    'PLAIN=the last one counts',
    'no line of it',
  ].join('\r\n')
  expect(readEnv(text.replaceAll('\r', ''))).toEqual([
    { name: 'PLAIN', value: 'the last one counts' },
    { name: 'TOKEN', value: 'abc=def' },
    { name: 'EMPTY', value: '' },
    { name: 'QUOTED', value: 'with "quotes" and\nlines' },
    { name: 'SINGLE', value: '# no comment' },
    { name: 'KEY', value: '-----BEGIN\ntwo\nEND-----' },
  ])
})

test('reads lines that end as on Windows', () => {
  expect(readEnv('A=1\r\nB=2\r\n')).toEqual([
    { name: 'A', value: '1' },
    { name: 'B', value: '2' },
  ])
})
