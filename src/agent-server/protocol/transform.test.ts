import { expect, test } from 'vitest'
import type { NewEvent } from '../../core/agent/event.ts'
import type { StreamTransform } from '../../core/agent/host/run.ts'
import { type Channel, protocolEventName, protocolPlaceOf } from '../../core/agent/protocol.ts'
import { Transform, type WriteEvent } from './transform.ts'

const write: WriteEvent = (channel, namespace, data, { node, name }) => ({
  event: protocolEventName({ channel, namespace, ...(name !== undefined && { name }) }),
  data: JSON.stringify({ namespace, timestamp: 1, ...(node !== undefined && { node }), data }),
  isOfThreadOnly: false,
})

const event = (channel: Channel, data = {}) => write(channel, [], data, {})

const around = (transform: Partial<StreamTransform>) =>
  new Transform({ onEvents: () => [], finish: async () => [], fail: () => [], ...transform }, write)

const shown = (events: NewEvent[]) =>
  events.map(({ event, data }) => {
    const { channel, name, namespace = [] } = protocolPlaceOf(event) ?? {}
    return [[channel, ...namespace].join('|'), name, JSON.parse(data).data]
  })

test('what stays is told as it was, between what was made', async () => {
  const made = { method: 'tools', namespace: ['child:1'], data: { n: 1 } }
  const transform = around({ onEvents: () => [1, made, 0] })
  const [one, other] = [event('values', { a: 1 }), event('custom', { b: 1 })]
  const told = await transform.onEvents([one, other])
  expect(told[0]).toBe(other)
  expect(told[2]).toBe(one)
  expect(shown(told.slice(1, 2))).toEqual([['tools|child:1', undefined, { n: 1 }]])
})

test('events are handed over with what the server keeps in any case', async () => {
  const seen: [string, boolean][] = []
  const onEvents: StreamTransform['onEvents'] = (events) => {
    seen.push(...events.map(({ method, isKept }): [string, boolean] => [method, isKept]))
    return []
  }
  await around({ onEvents }).onEvents([event('values'), event('checkpoints'), event('lifecycle')])
  expect(seen).toEqual([
    ['values', false],
    ['checkpoints', true],
    ['lifecycle', true],
  ])
})

test('a method that the protocol does not have is the name of a custom event', async () => {
  const finish = async () =>
    ['custom:a b', 'own', 'custom'].map((method) => ({ method, namespace: [], data: { n: 1 } }))
  expect(shown(await around({ finish }).finish())).toEqual([
    ['custom', 'a b', { name: 'a b', payload: { n: 1 } }],
    ['custom', 'own', { name: 'own', payload: { n: 1 } }],
    ['custom', undefined, { payload: { n: 1 } }],
  ])
})

test('after the end nobody is asked any more', async () => {
  const transform = around({ onEvents: () => [] })
  await transform.finish()
  expect(await transform.onEvents([event('values')])).toHaveLength(1)
  expect(await transform.fail(new Error('late'))).toEqual([])
})

test('a host that does not say in time what it made of a failure has made nothing', async () => {
  const fail = () => new Promise<never>(() => {})
  const transform = new Transform({ onEvents: () => [], finish: async () => [], fail }, write, 1)
  expect(await transform.fail({ name: 'Error', message: 'failed' })).toEqual([])
})
