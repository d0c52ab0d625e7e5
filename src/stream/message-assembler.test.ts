import { expect, test } from 'vitest'
import { type EventStore, type LoggedEvent, PIECE_EVENT } from '../core/agent/event.ts'
import { MessageAssembler } from './message-assembler.ts'

/** The log of a run with two messages of the same id, in different namespaces and one after the other. */
const LOG = [
  ['metadata', {}],
  ['messages/metadata', { m: {} }],
  ['messages/partial', [{ content: 'a', id: 'm' }]],
  ['messages/partial|sub:1', [{ content: 'x', id: 'm' }]],
  [PIECE_EVENT, ['m', { in: { content: { '+': 'b' } } }]],
  [`${PIECE_EVENT}|sub:1`, ['m', { in: { content: { '+': 'y' } } }]],
  [PIECE_EVENT, ['m', null]],
  ['messages/complete', [{ content: 'ab', id: 'm' }]],
  ['messages/partial', [{ content: '1', id: 'n' }]],
  [PIECE_EVENT, ['n', { in: { content: { '+': '2' } } }]],
].map(([event, data], run_seq) => ({
  thread_id: 't',
  run_id: 'r',
  seq: run_seq + 1,
  run_seq,
  event,
  data: JSON.stringify(data),
  created_at: 0,
})) as LoggedEvent[]

const SHOWN = [
  'metadata {}',
  'messages/metadata {"m":{}}',
  'messages/partial [{"content":"a","id":"m"}]',
  'messages/partial|sub:1 [{"content":"x","id":"m"}]',
  'messages/partial [{"content":"ab","id":"m"}]',
  'messages/partial|sub:1 [{"content":"xy","id":"m"}]',
  'messages/partial [{"content":"ab","id":"m"}]',
  'messages/complete [{"content":"ab","id":"m"}]',
  'messages/partial [{"content":"1","id":"n"}]',
  'messages/partial [{"content":"12","id":"n"}]',
]

function readerOf(log: LoggedEvent[]) {
  const reads: number[] = []
  const store: Pick<EventStore, 'readMessages'> = {
    async readMessages(_run_id, { after, before }, limit) {
      reads.push(after)
      const between = log.filter(({ run_seq }) => run_seq > after && run_seq < before)
      return between.filter(({ event }) => event.startsWith('messages/')).slice(0, limit)
    },
  }
  return { messages: new MessageAssembler(store), reads }
}

async function show(messages: MessageAssembler, events: LoggedEvent[]) {
  const shown: (string | undefined)[] = []
  for (const event of events) {
    const one = await messages.show(event)
    shown.push(one && `${one.event} ${one.data}`)
  }
  return shown
}

test('pieces are shown as the message so far, without looking back', async () => {
  const { messages, reads } = readerOf(LOG)
  expect(await show(messages, LOG)).toEqual(SHOWN)
  expect(reads).toEqual([])
})

test('whoever begins at any event is shown the same from there on', async () => {
  for (const from of LOG.keys()) {
    const { messages } = readerOf(LOG)
    expect(await show(messages, LOG.slice(from))).toEqual(SHOWN.slice(from))
  }
})

test('an event keeps its numbers', async () => {
  const { messages } = readerOf(LOG)
  expect(await messages.show(LOG[4] as LoggedEvent)).toMatchObject({ seq: 5, run_seq: 4 })
})

test('a piece whose beginning has expired is not shown', async () => {
  const { messages } = readerOf([])
  expect(await show(messages, LOG.slice(4, 5))).toEqual([undefined])
})
