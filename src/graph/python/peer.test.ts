import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { GraphCheckpoints } from '../../core/agent/checkpoint.ts'
import { AppError, DatabaseAway, HostLost, ProjectRefusal } from '../../core/errors.ts'
import { Bindings } from './callbacks.ts'
import { FRAME, type Frame, FrameReader, FrameWriter } from './frames.ts'
import { Blockage } from './heartbeat.ts'
import { answerWith } from './http.ts'
import { OpenedGraph } from './opened-graph.ts'
import { type IncomingCall, Peer } from './peer.ts'

let peer: Peer
let host: Socket
let close: () => void
/** What the host has received. */
let received: Frame[]
let onCall: (call: IncomingCall) => Promise<unknown>
let broken: unknown[]

beforeEach(async () => {
  const path = join(tmpdir(), `runyard-peer-${process.pid}-${Math.random()}`)
  const server = createServer().listen(path)
  await once(server, 'listening')
  const { connect } = await import('node:net')
  const ours = connect(path)
  ;[host] = await once(server, 'connection')
  received = []
  broken = []
  const reader = new FrameReader((frame) => received.push(frame))
  host.on('data', (chunk) => reader.feed(chunk)).on('error', () => {})
  peer = new Peer(ours, {
    onCall: (call) => onCall(call),
    onNote: () => {},
    onBroken: (error) => broken.push(error),
  })
  close = () => {
    peer.end(new HostLost('It is over.'))
    host.destroy()
    server.close()
  }
})

afterEach(() => close())

function answer(...frames: Frame[]): void {
  const writer = new FrameWriter()
  for (const frame of frames) writer.add(frame)
  host.write(writer.take())
}

const until = (count: number) => expect.poll(() => received.length).toBe(count)

describe('a call', () => {
  it('is answered, whatever was asked before it', async () => {
    const first = peer.call('one', { a: 1, none: undefined })
    const second = peer.call('two', {})
    await until(2)
    expect(received).toEqual([
      [FRAME.CALL, 1, 'one', { a: 1 }],
      [FRAME.CALL, 3, 'two', {}],
    ])
    answer([FRAME.ANSWER, 3, 'second'], [FRAME.ANSWER, 1, 'first'])
    expect(await Promise.all([first, second])).toEqual(['first', 'second'])
  })

  it('fails as the host says', async () => {
    const calls = Array.from({ length: 4 }, () => peer.call('fails', {}))
    answer(
      [FRAME.FAILURE, 1, { name: 'AppError', message: 'no', code: 'not_found' }],
      [FRAME.FAILURE, 3, { name: 'DatabaseAway', message: 'away', database_away: true }],
      [FRAME.FAILURE, 5, { name: 'X', message: 'go', status: 302, headers: [['location', '/']] }],
      [FRAME.FAILURE, 7, { name: 'KeyError', message: "'k'", stack: 'Traceback' }],
    )
    const errors = (await Promise.allSettled(calls)).map((one) => 'reason' in one && one.reason)
    expect(errors[0]).toMatchObject({ code: 'not_found', message: 'no' })
    expect(errors[0]).toBeInstanceOf(AppError)
    expect(errors[1]).toBeInstanceOf(DatabaseAway)
    expect(errors[2]).toBeInstanceOf(ProjectRefusal)
    expect(errors[2]).toMatchObject({ status: 302, headers: new Headers({ location: '/' }) })
    expect(errors[3]).toMatchObject({ name: 'KeyError', message: "'k'", stack: 'Traceback' })
  })

  it('passes its signal on, and is waited for all the same', async () => {
    const abort = new AbortController()
    const call = peer.begin('slow', {}).abortOn(abort.signal)
    abort.abort()
    await until(2)
    expect(received[1]).toEqual([FRAME.ABORT, 1])
    answer([FRAME.ANSWER, 1, 'done'])
    expect(await call.answer).toBe('done')
  })

  it('that cannot be sent is refused, and the next one is sent', async () => {
    expect(() => peer.begin('bad', { it: 1n })).toThrow(TypeError)
    void peer.call('good', {}).catch(() => {})
    await until(1)
    expect(received[0]).toMatchObject([FRAME.CALL, expect.anything(), 'good', {}])
  })
})

describe('items', () => {
  it('come in their order, and credit is given as they are taken', async () => {
    const call = peer.begin('count', {})
    const sent = Array.from({ length: 16 }, (_, i): Frame => [FRAME.ITEM, 1, i])
    answer(...sent)
    const taken: unknown[] = []
    while (taken.length < 16) taken.push((await call.items.next()).value)
    expect(taken).toEqual(sent.map(([, , item]) => item))
    await until(3)
    expect(received.slice(1)).toEqual([
      [FRAME.CREDIT, 1, 8],
      [FRAME.CREDIT, 1, 8],
    ])
    answer([FRAME.ANSWER, 1, null])
    expect(await call.items.next()).toMatchObject({ done: true })
  })

  it('are not wanted when nobody reads on', async () => {
    const call = peer.begin('count', {})
    answer([FRAME.ITEM, 1, 'first'], [FRAME.ITEM, 1, 'second'])
    for await (const item of call.items) {
      expect(item).toBe('first')
      break
    }
    await until(2)
    expect(received[1]).toEqual([FRAME.UNWANTED, 1])
  })

  it('are taken when the reader waits for more', async () => {
    const call = peer.begin('count', {})
    answer([FRAME.ITEM, 1, 'a'], [FRAME.ITEM, 1, 'b'])
    await call.items.next()
    let areTaken = false
    const taken = call.items.taken().then(() => {
      areTaken = true
    })
    await call.items.next()
    expect(areTaken).toBe(false)
    void call.items.next().catch(() => {})
    await taken
  })

  it('wait for credit on the way to the host', async () => {
    onCall = async (call) => {
      for (let i = 0; i < 20; i += 1) await call.send(i)
      return 'done'
    }
    answer([FRAME.CALL, 2, 'count', {}])
    await until(16)
    answer([FRAME.CREDIT, 2, 4])
    await until(21)
    expect(received.at(-1)).toEqual([FRAME.ANSWER, 2, 'done'])
  })

  it('that the host uploads end when it says so', async () => {
    onCall = async (call) => {
      const chunks: unknown[] = []
      for await (const chunk of call.upload) chunks.push(chunk)
      return chunks
    }
    answer(
      [FRAME.CALL, 2, 'upload', {}],
      [FRAME.ITEM, 2, 'a'],
      [FRAME.ITEM, 2, 'b'],
      [FRAME.END, 2],
    )
    await until(1)
    expect(received[0]).toEqual([FRAME.ANSWER, 2, ['a', 'b']])
  })
})

describe('the end of the host', () => {
  it('fails every call, then and from then on', async () => {
    const call = peer.begin('run', {})
    const reading = call.items.next()
    const lost = new HostLost('It has crashed.')
    peer.end(lost)
    await expect(call.answer).rejects.toBe(lost)
    await expect(reading).rejects.toBe(lost)
    expect(() => peer.begin('run', {})).toThrow(lost)
  })

  it('ends what it has called for', async () => {
    const begun = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<boolean>()
    onCall = async (call) => {
      begun.resolve()
      await once(call.signal, 'abort')
      ended.resolve(await call.send('item'))
      return null
    }
    answer([FRAME.CALL, 2, 'fetch', {}])
    await begun.promise
    peer.end(new HostLost('It has crashed.'))
    expect(await ended.promise).toBe(false)
  })

  it('is asked for when it sends what is no frame', async () => {
    host.write(Buffer.from([0, 0, 0, 1, 0xc1]))
    await expect.poll(() => broken.length).toBe(1)
  })
})

it('refuses what a blocked host does not answer, and lets runs wait', async () => {
  const run = peer.begin('graph.run', {})
  const read = peer.begin('graph.get_state', {})
  const open = peer.begin('open', {}, { isPatient: true })
  peer.giveUp(new Set(['graph.get_state', 'open']), performance.now() + 1)
  await expect(read.answer).rejects.toMatchObject({ name: 'HostAway', code: 'unavailable' })
  expect([run.isOver, open.isOver]).toEqual([false, false])
  const blockage = new Blockage(peer)
  blockage.begin()
  expect(blockage.isOn).toBe(true)
  answer([FRAME.ANSWER, run.id, null])
  await run.answer
  expect(blockage.isOn).toBe(false)
})

it('refuses a run that a blocked host has not begun, and lets one wait that it has', async () => {
  const checkpoints = {} as GraphCheckpoints
  const graph = { graph_id: 'graph', config: { configurable: {} } }
  const opened = { peer, graph }
  const reopen = () => Promise.reject(new Error('It is not opened anew.'))
  const { signal } = new AbortController()
  const begin = () =>
    new OpenedGraph({ opened, reopen, bindings: new Bindings() }).run(
      { run_id: 'r', input: null, context: {}, modes: [], subgraphs: false },
      { checkpoints, onSpans: () => {} },
      signal,
    )
  const giveUp = () => peer.giveUp(new Set(['graph.run']), performance.now() + 1)
  const [waits, goesOn] = [begin(), begin()]
  await until(2)
  expect(received[0]?.[3]).toMatchObject(graph)
  const [first, second] = received.map(([, id]) => Number(id))
  answer([FRAME.ITEM, Number(second), { transforms: false }])
  const { end } = await goesOn
  giveUp()
  await expect(waits).rejects.toMatchObject({ name: 'HostAway' })
  await until(3)
  expect(received[2]).toEqual([FRAME.ABORT, first])
  answer([FRAME.ANSWER, Number(second), { kind: 'completed' }])
  expect(await end).toEqual({ kind: 'completed' })
})

describe('a call that was given up', () => {
  const now = () => performance.now() + 1

  it('is aborted there, so that a host that goes on does not do it', async () => {
    const write = peer.begin('graph.update_state', {})
    peer.giveUp(new Set(['graph.update_state']), now())
    await expect(write.answer).rejects.toMatchObject({ code: 'unavailable' })
    await until(2)
    expect(received[1]).toEqual([FRAME.ABORT, write.id])
  })

  it('may have been answered before that: who asked is told late', async () => {
    const late: unknown[] = []
    const options = { onLate: (answer: unknown) => late.push(answer) }
    const calls = ['open', 'open'].map((method) => peer.begin(method, {}, options))
    peer.giveUp(new Set(['open']), now())
    const [first, second] = calls.map(({ id }) => id)
    answer(
      [FRAME.ANSWER, Number(first), { graph: 7 }],
      [FRAME.FAILURE, Number(second), { name: 'AppError', message: 'no', code: 'unavailable' }],
      [FRAME.ANSWER, Number(first), { graph: 8 }],
    )
    await expect.poll(() => late).toEqual([{ graph: 7 }])
    const other = peer.call('open', {}, options)
    answer([FRAME.ANSWER, 5, { graph: 9 }])
    expect(await other).toEqual({ graph: 9 })
    expect(late).toEqual([{ graph: 7 }])
  })
})

it('ends a body that the host has left, although no chunk is to come', async () => {
  const left = Promise.withResolvers<string>()
  const chunks = [Uint8Array.of(1)]
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const chunk = chunks.shift()
      if (chunk) controller.enqueue(chunk)
    },
    cancel: () => left.resolve('left'),
  })
  onCall = (call) => answerWith(call, new Response(body)).then(() => null)
  answer([FRAME.CALL, 2, 'fetch', {}])
  await until(2)
  answer([FRAME.ABORT, 2])
  expect(await left.promise).toBe('left')
  await until(3)
  expect(received.at(-1)).toEqual([FRAME.ANSWER, 2, null])
})
