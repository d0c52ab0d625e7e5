import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { type MessagePiece, MessagePrinter } from './message-printer.ts'

function printed(...pieces: MessagePiece[]): string {
  let text = ''
  const printer = new MessagePrinter((more) => {
    text += more
  })
  for (const piece of pieces) printer.piece(piece)
  printer.end()
  return stripVTControlCharacters(text)
}

test('text is printed as it comes, and ends its line once', () => {
  const pieces = ['Hel', 'lo', '.'].map((content) => ({ type: 'AIMessageChunk', content }))
  expect(printed(...pieces)).toBe('Hello.\n')
  expect(printed({ type: 'ai', content: 'Hello.\n' })).toBe('Hello.\n')
  expect(printed({ type: 'human', content: 'Not yours.' })).toBe('')
})

test('blocks are text and reasoning', () => {
  const content = [
    { type: 'reasoning', reasoning: 'Hm. ' },
    { type: 'text', text: 'Yes.' },
  ]
  expect(printed({ type: 'ai', content })).toBe('Hm. Yes.\n')
})

test('a tool has a line for its call and one for its answer, on lines of their own', () => {
  expect(
    printed(
      { type: 'AIMessageChunk', content: 'I look.', tool_call_chunks: [{ name: 'look' }] },
      { type: 'AIMessageChunk', content: '', tool_call_chunks: [{ name: null }] },
      { type: 'tool', name: 'look', content: 'a\n  b' },
      { type: 'ai', content: 'Done.', tool_calls: [{ name: 'close', args: {} }] },
    ),
  ).toBe('I look.\n→ look\n← look: a b\nDone.\n→ close\n')
})

test('a long answer of a tool is cut', () => {
  const text = printed({ type: 'tool', name: 'look', content: 'a'.repeat(500) })
  expect(text).toBe(`← look: ${'a'.repeat(200)}…\n`)
})

test('what an agent says cannot tell the terminal what to do', () => {
  let text = ''
  const printer = new MessagePrinter((more) => {
    text += more
  })
  const evil = '\u001b]52;c;cm0gLXJm\u0007\u001b[2J\u009b1A\r\n\tyours'
  printer.piece({ type: 'ai', content: evil })
  printer.piece({ type: 'tool', name: 'look\u001b[A', content: 'a\u001b[Bb' })
  const unstyled = text.replaceAll('\u001b[2m', '').replaceAll('\u001b[22m', '')
  expect(unstyled).toBe(']52;c;cm0gLXJm[2J1A\n\tyours\n← look[A: a[Bb\n')
})
