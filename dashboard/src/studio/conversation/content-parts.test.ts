import { expect, test } from 'vitest'
import { partsOf } from './content-parts.ts'

test.each([
  ['a plain text', 'Hello', [{ kind: 'text', text: 'Hello' }]],
  [
    'text and reasoning, word by word',
    [
      { type: 'thinking', thinking: 'So' },
      { type: 'thinking', thinking: ' so' },
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B' },
      { type: 'tool_use', id: '1' },
    ],
    [
      { kind: 'reasoning', text: 'So so' },
      { kind: 'text', text: 'AB' },
    ],
  ],
  [
    'an image of each form',
    [
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
      { type: 'image', source_type: 'base64', mime_type: 'image/png', data: 'AA' },
      { type: 'image', base64: 'AA', mime_type: 'image/png' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } },
    ],
    Array(4).fill({ kind: 'image', url: 'data:image/png;base64,AA', name: 'Image' }),
  ],
  [
    'a file with its name',
    [
      {
        type: 'file',
        source_type: 'base64',
        mime_type: 'text/plain',
        data: 'AA',
        filename: 'a.txt',
      },
    ],
    [{ kind: 'file', url: 'data:text/plain;base64,AA', name: 'a.txt', type: 'text/plain' }],
  ],
])('%s', (_, content, parts) => expect(partsOf({ content })).toEqual(parts))

test('reasoning beside the content stands first', () =>
  expect(partsOf({ content: 'A', additional_kwargs: { reasoning_content: 'B' } })).toEqual([
    { kind: 'reasoning', text: 'B' },
    { kind: 'text', text: 'A' },
  ]))
