/** What every store of checkpoints must do. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { AgentStore } from '../../src/core/agent/agent-store.ts'
import type {
  ChannelValue,
  PendingWrite,
  StoredCheckpoint,
} from '../../src/core/agent/checkpoint.ts'
import type { Lease } from '../../src/core/agent/run.ts'
import {
  type AgentStoreWorld,
  aCheckpoint,
  aRun,
  aThread,
  bytesOf,
} from '../support/agent/agent-records.ts'
import { claimRun } from '../support/agent/claim-run.ts'

const LATEST = { thread_id: 't', checkpoint_ns: '' }

/** How serializers write a list of texts that have more than 255 bytes and fewer than 64 kB. */
const LISTS = [
  { name: 'JSON', type: 'json', encode: (list: string[]) => Buffer.from(JSON.stringify(list)) },
  { name: 'MessagePack', type: 'msgpack', encode: toMsgpack },
  {
    name: 'a MessagePack extension',
    type: 'msgpack',
    encode: (list: string[]) => {
      const content = toMsgpack(list)
      const lengthBytes = content.length < 2 ** 16 ? 2 : 4
      const head = Buffer.alloc(lengthBytes + 2)
      head[0] = lengthBytes === 2 ? 0xc8 : 0xc9
      head.writeUIntBE(content.length, 1, lengthBytes)
      head[lengthBytes + 1] = 7
      return Buffer.concat([head, content])
    },
  },
]

function toMsgpack(list: string[]): Buffer {
  const head =
    list.length < 16
      ? Buffer.of(0x90 | list.length)
      : Buffer.of(0xdc, list.length >> 8, list.length & 0xff)
  const items = list.flatMap((text) => {
    return [Buffer.of(0xda, text.length >> 8, text.length & 0xff), Buffer.from(text)]
  })
  return Buffer.concat([head, ...items])
}

export function testCheckpointStore(world: () => AgentStoreWorld): void {
  let store: AgentStore
  beforeEach(() => {
    store = world().store
  })

  /** Each value's version is also what it holds. */
  const put = (
    change: Partial<StoredCheckpoint>,
    versions: Record<string, string> = {},
    fresh: string[] = Object.keys(versions),
    lease?: Lease,
  ) => store.checkpoints.put(aCheckpoint(change), versions, fresh.map(holding(versions)), lease)

  const ids = async (query: Parameters<AgentStore['checkpoints']['list']>[0]) =>
    (await store.checkpoints.list(query)).map((one) => one.checkpoint_id)

  async function takeLease(): Promise<Lease> {
    const thread = aThread()
    await store.threads.insert(thread)
    await store.runs.insert(aRun({ thread_id: thread.thread_id }))
    const claimed = await claimRun(store, { server_id: 's', now: 1, lease_expires_at: 2 })
    return claimed?.lease ?? expect.fail('nothing claimed')
  }

  describe('a history', () => {
    /** Two steps of the root and one of a subgraph in the second, and one of a run's in the first. */
    async function fill(): Promise<void> {
      await put({ checkpoint_id: 'c1', run_id: 'r1' }, { a: '1', b: '1' })
      const c2 = { checkpoint_id: 'c2', parent_checkpoint_id: 'c1', run_id: 'r2' }
      await put(c2, { a: '2', b: '1' }, ['a'])
      const old = {
        checkpoint_ns: 'sub:t1',
        checkpoint_id: 'c1s',
        metadata: { parents: { '': 'c1' } },
      }
      await put(old, { s: '1' })
      const inner = { checkpoint_ns: 'sub:t2', metadata: { parents: { '': 'c2' } } }
      await put({ ...inner, checkpoint_id: 'c2s' }, { s: '1' })
      await put({ ...inner, checkpoint_id: 'c2t' }, { s: '2' })
      await put({ checkpoint_ns: 'memory', checkpoint_id: 'c1m' }, { m: '1' })
      await store.checkpoints.putWrites({ ...LATEST, checkpoint_id: 'c1' }, [aWrite('old')])
      await store.checkpoints.putWrites({ ...LATEST, checkpoint_id: 'c2' }, [aWrite('new')])
    }

    const aWrite = (text: string): PendingWrite => ({
      task_id: 'task',
      channel: 'a',
      idx: 0,
      ...bytesOf(text),
    })

    it('has a latest checkpoint of the root and of each subgraph', async () => {
      expect(await store.checkpoints.latestId('t')).toBeUndefined()
      await fill()
      expect(await store.checkpoints.latestId('t')).toBe('c2')
      expect(await store.checkpoints.latestId('t', 'sub:t2')).toBe('c2t')
    })

    it('is copied whole, and both go their own ways', async () => {
      await fill()
      await store.checkpoints.copyThread('t', 'copy')
      const [mine, theirs] = [
        await store.checkpoints.list({ thread_id: 't' }),
        await store.checkpoints.list({ thread_id: 'copy' }),
      ]
      expect(theirs).toEqual(mine.map((one) => ({ ...one, thread_id: 'copy' })))
      await store.checkpoints.deleteRun('copy', 'r2')
      expect(await store.checkpoints.latestId('copy')).toBe('c1')
      expect(await store.checkpoints.latestId('t')).toBe('c2')
    })

    it('is cut to what goes on from here', async () => {
      await fill()
      await put({ thread_id: 'u', checkpoint_id: 'c1' }, { a: '1' })
      const latest = await store.checkpoints.get(LATEST)
      await store.checkpoints.keepLatest('t')
      expect((await ids({ thread_id: 't' })).toSorted()).toEqual(['c1m', 'c2', 'c2t'])
      expect(await store.checkpoints.get(LATEST)).toEqual(latest)
      const use = await store.checkpoints.measure('t')
      expect(use.channel_values.by_channel).toMatchObject({
        a: { versions: 1 },
        b: { versions: 1 },
        s: { versions: 1 },
        m: { versions: 1 },
      })
      expect(use.pending_writes.count).toBe(1)
      expect(await ids({ thread_id: 'u' })).toEqual(['c1'])
    })

    it('is cut no shorter than to the last whole value of what is kept as its changes', async () => {
      const counters = { counters_since_delta_snapshot: { delta: [1, 1], unwritten: [0, 9] } }
      const chain = ['c1', 'c2', 'c3', 'c4', 'c5']
      for (const [at, checkpoint_id] of chain.entries()) {
        const parent_checkpoint_id = chain[at - 1] ?? null
        const metadata = checkpoint_id === 'c2' ? {} : counters
        const versions = { a: String(at), delta: String(at) }
        // Only the second has a whole value of the channel.
        const fresh = checkpoint_id === 'c2' ? ['a', 'delta'] : ['a']
        await put({ checkpoint_id, parent_checkpoint_id, metadata }, versions, fresh)
        const write = { ...aWrite(checkpoint_id), channel: 'delta' }
        await store.checkpoints.putWrites({ ...LATEST, checkpoint_id }, [write])
      }
      await store.checkpoints.keepLatest('t')
      const kept = await store.checkpoints.list({ thread_id: 't' })
      expect(kept.map((one) => one.checkpoint_id)).toEqual(['c5', 'c4', 'c3', 'c2'])
      expect(kept.map(({ writes }) => writes.length)).toEqual([1, 1, 1, 1])
      expect(kept.at(-1)?.values.map(({ channel }) => channel)).toEqual(['a', 'delta'])
    })

    it('is measured', async () => {
      await put({}, { a: '1', b: '22' })
      await store.checkpoints.putWrites({ ...LATEST, checkpoint_id: 'c1' }, [aWrite('four')])
      const { checkpoints, channel_values, pending_writes } = await store.checkpoints.measure('t')
      expect(checkpoints.count).toBe(1)
      expect(checkpoints.bytes).toBeGreaterThan(2)
      expect(channel_values).toMatchObject({ count: 2, bytes: 7 })
      expect(channel_values.by_channel).toEqual({
        a: { versions: 1, bytes: 3 },
        b: { versions: 1, bytes: 4 },
      })
      expect(pending_writes).toEqual({ count: 1, bytes: 4 })
      const nothing = await store.checkpoints.measure('u')
      expect(nothing.checkpoints).toEqual({ count: 0, bytes: 0 })
    })

    it('takes more metadata at one of its checkpoints', async () => {
      await put({ metadata: { step: 1, by: 'ada' } })
      const key = { ...LATEST, checkpoint_id: 'c1' }
      await store.checkpoints.patchMetadata(key, { by: 'bob', seen: true })
      const metadata = { step: 1, by: 'bob', seen: true }
      expect(await store.checkpoints.get(LATEST)).toMatchObject({ metadata })
      await store.checkpoints.patchMetadata({ ...key, checkpoint_id: 'none' }, { by: 'eve' })
      expect(await ids({ thread_id: 't' })).toEqual(['c1'])
    })
  })

  describe.each(LISTS)('a long list in $name', ({ type, encode }) => {
    const message = (n: number) => `${n}: ${'x'.repeat(300)}`
    const listOf = (length: number) => encode(Array.from({ length }, (_, n) => message(n)))

    /** The list as it is at a checkpoint, by so many of its items. */
    const putList = (length: number, change: Partial<StoredCheckpoint> = {}) => {
      const version = String(length).padStart(5, '0')
      const value = { channel: 'messages', version, type, bytes: listOf(length) }
      const at = { checkpoint_id: `c${version}`, ...change }
      return store.checkpoints.put(aCheckpoint(at), { messages: version }, [value])
    }
    const listAt = async (length: number, thread_id = 't') => {
      const checkpoint_id = `c${String(length).padStart(5, '0')}`
      const record = await store.checkpoints.get({ thread_id, checkpoint_ns: '', checkpoint_id })
      const [value] = record?.values ?? []
      return { type: value?.type, bytes: Buffer.from(value?.bytes ?? []) }
    }
    const bytesUsed = async () => {
      const { checkpoints, channel_values } = await store.checkpoints.measure('t')
      return checkpoints.bytes + channel_values.bytes
    }

    it('comes back as it was put, from any of its checkpoints', async () => {
      for (const length of [1, 3, 4, 31, 32, 33, 64, 65]) await putList(length)
      for (const length of [1, 3, 4, 31, 32, 33, 64, 65]) {
        expect(await listAt(length), String(length)).toEqual({ type, bytes: listOf(length) })
      }
      const records = await store.checkpoints.list({ thread_id: 't', limit: 3 })
      const lists = records.map(({ values }) => Buffer.from(values[0]?.bytes ?? []))
      expect(lists).toEqual([65, 64, 33].map(listOf))
    })

    it('takes as much for a turn late in a conversation as for one early in it', async () => {
      const turns = new Map<number, number>()
      let before = 0
      for (let turn = 1; turn <= 200; turn += 1) {
        await putList(2 * turn - 1)
        await putList(2 * turn)
        if (![19, 20, 199, 200].includes(turn)) continue
        const used = await bytesUsed()
        turns.set(turn, used - before)
        before = used
      }
      expect(Number(turns.get(200))).toBeLessThan(1.5 * Number(turns.get(20)))
    })

    it('gives back what a run added that is rolled back, and keeps what others name', async () => {
      for (const length of [20, 40]) await putList(length)
      const before = await bytesUsed()
      for (let length = 41; length <= 90; length += 7) await putList(length, { run_id: 'gone' })
      // The list of an older run once more, and one that the run alone had.
      await putList(40, { run_id: 'gone', checkpoint_id: 'd1' })
      await putList(20, { run_id: 'gone', checkpoint_id: 'd2', thread_id: 'u' })
      await store.checkpoints.copyThread('t', 'copy')
      await store.checkpoints.deleteRun('t', 'gone')
      expect(await bytesUsed()).toBe(before)
      for (const length of [20, 40]) expect((await listAt(length)).bytes).toEqual(listOf(length))
      expect((await listAt(90, 'copy')).bytes).toEqual(listOf(90))
      expect(await ids({ thread_id: 'u' })).toEqual(['d2'])
      await putList(90)
      expect((await listAt(90)).bytes).toEqual(listOf(90))
    })

    it('keeps what a checkpoint that is just being written has found to be there', async () => {
      const lease = await takeLease()
      const thread_id = (await store.runs.get(lease.run_id))?.thread_id ?? ''
      await putList(40, { thread_id, run_id: 'gone' })
      const other = await world().another()
      let removing: Promise<void> = Promise.resolve()
      await store.transaction(async (tx) => {
        const later = { channel: 'messages', version: 'later', type, bytes: listOf(40) }
        const checkpoint = aCheckpoint({ thread_id, checkpoint_id: 'later', run_id: lease.run_id })
        await tx.checkpoints.put(checkpoint, { messages: 'later' }, [later], lease)
        removing = other.checkpoints.deleteRun(thread_id, 'gone')
        // It gets as far as it can.
        for (let i = 0; i < 50; i += 1) await tx.threads.get(thread_id)
      }, [])
      await removing
      const latest = await store.checkpoints.get({ thread_id, checkpoint_ns: '' })
      expect(Buffer.from(latest?.values[0]?.bytes ?? [])).toEqual(listOf(40))
    })

    it('gives its room back when only the latest is kept, and goes on', async () => {
      for (let length = 40; length <= 80; length += 1) await putList(length)
      const shorter = { channel: 'messages', version: 'z', type, bytes: listOf(36) }
      await store.checkpoints.put(aCheckpoint({ checkpoint_id: 'z' }), { messages: 'z' }, [shorter])
      await store.checkpoints.copyThread('t', 'u')
      await store.checkpoints.keepLatest('t')
      expect(await bytesUsed()).toBeLessThan(1.2 * listOf(36).length)
      const latest = await store.checkpoints.get({ thread_id: 't', checkpoint_ns: '' })
      expect(Buffer.from(latest?.values[0]?.bytes ?? [])).toEqual(listOf(36))
      expect(await listAt(80, 'u')).toEqual({ type, bytes: listOf(80) })
      await store.checkpoints.deleteThread('u')
      expect((await store.checkpoints.measure('u')).channel_values.bytes).toBe(0)
    })
  })

  describe('checkpoints', () => {
    it('come back as they were put', async () => {
      const checkpoint = aCheckpoint({
        parent_checkpoint_id: 'c0',
        run_id: 'r',
        checkpoint: { type: 'bytes', bytes: new Uint8Array([0, 1, 255]) },
        metadata: { step: 1, writes: { a: [null] } },
      })
      const versions = { a: '1', b: '2', empty: '3' }
      const values = ['a', 'b'].map(holding(versions))
      await store.checkpoints.put(checkpoint, versions, values)
      const expected = { ...checkpoint, values, writes: [] }
      expect(await store.checkpoints.get(LATEST)).toEqual(expected)
      expect(await store.checkpoints.get({ ...LATEST, checkpoint_id: 'c1' })).toEqual(expected)
      expect(await store.checkpoints.list({ thread_id: 't' })).toEqual([expected])
    })

    it('are not found where there are none', async () => {
      await put({})
      expect(await store.checkpoints.get({ thread_id: 'u', checkpoint_ns: '' })).toBeUndefined()
      expect(await store.checkpoints.get({ thread_id: 't', checkpoint_ns: 'x' })).toBeUndefined()
      expect(await store.checkpoints.get({ ...LATEST, checkpoint_id: 'c2' })).toBeUndefined()
    })

    it('share the values that did not change', async () => {
      await put({ checkpoint_id: 'c1' }, { a: '1', b: '1' })
      await put({ checkpoint_id: 'c2' }, { a: '1', b: '2' }, ['b'])
      const values = async (checkpoint_id: string) =>
        (await store.checkpoints.get({ ...LATEST, checkpoint_id }))?.values
      expect(await values('c1')).toEqual([holding({ a: '1' })('a'), holding({ b: '1' })('b')])
      expect(await values('c2')).toEqual([holding({ a: '1' })('a'), holding({ b: '2' })('b')])
    })

    it('of each namespace have values of their own', async () => {
      await put({}, { a: '1' })
      await put({ checkpoint_ns: 'child:x', checkpoint_id: 'c9' }, { a: '1' }, [])
      const child = await store.checkpoints.get({ thread_id: 't', checkpoint_ns: 'child:x' })
      expect(child).toMatchObject({ checkpoint_id: 'c9', values: [] })
      expect(await store.checkpoints.get(LATEST)).toMatchObject({ checkpoint_id: 'c1' })
    })

    it('are replaced under the same id', async () => {
      await put({ metadata: { step: 1 } })
      await put({ metadata: { step: 2 } })
      expect(await store.checkpoints.list({ thread_id: 't' })).toMatchObject([
        { metadata: { step: 2 } },
      ])
    })

    it('go with their thread', async () => {
      await put({}, { a: '1' })
      await put({ thread_id: 'u' }, { a: '1' })
      await store.checkpoints.putWrites(aCheckpoint(), [aWrite()])
      await store.checkpoints.deleteThread('t')
      expect(await ids({})).toEqual(['c1'])
      await put({}, { a: '1' }, [])
      expect(await store.checkpoints.get(LATEST)).toMatchObject({ values: [], writes: [] })
    })
  })

  describe('a list of checkpoints', () => {
    beforeEach(async () => {
      await put({ checkpoint_id: 'c1', metadata: { source: 'input', step: 1 } })
      await put({ checkpoint_id: 'c2', metadata: { source: 'loop', step: 2, deep: { a: [1] } } })
      await put({ checkpoint_id: 'c3', checkpoint_ns: 'child', metadata: { source: 'loop' } })
      await put({ checkpoint_id: 'c4', thread_id: 'u', metadata: { source: 'loop' } })
    })

    it('is newest first, of every namespace or of one', async () => {
      expect(await ids({ thread_id: 't' })).toEqual(['c3', 'c2', 'c1'])
      expect(await ids({ thread_id: 't', checkpoint_ns: '' })).toEqual(['c2', 'c1'])
      expect(await ids({})).toEqual(['c4', 'c3', 'c2', 'c1'])
    })

    it('ends where asked', async () => {
      expect(await ids({ thread_id: 't', limit: 2 })).toEqual(['c3', 'c2'])
      expect(await ids({ thread_id: 't', before: 'c3', limit: 1 })).toEqual(['c2'])
      expect(await ids({ thread_id: 't', checkpoint_id: 'c1' })).toEqual(['c1'])
    })

    it('holds those whose metadata has every value asked for', async () => {
      const query = { thread_id: 't' }
      expect(await ids({ ...query, metadata: { source: 'loop' } })).toEqual(['c3', 'c2'])
      expect(await ids({ ...query, metadata: { source: 'loop', step: 2 } })).toEqual(['c2'])
      expect(await ids({ ...query, metadata: { deep: { a: [1] } } })).toEqual(['c2'])
      expect(await ids({ ...query, metadata: { step: '2' } })).toEqual([])
      expect(await ids({ ...query, metadata: {} })).toHaveLength(3)
      const many = Object.fromEntries(Array.from({ length: 2_500 }, (_, n) => [`k${n}`, n]))
      await put({ checkpoint_id: 'c5', metadata: many })
      expect(await ids({ ...query, metadata: many })).toEqual(['c5'])
    })
  })

  describe('pending writes', () => {
    const key = aCheckpoint()
    const writes = async () => (await store.checkpoints.get(LATEST))?.writes

    beforeEach(() => put({}))

    it('come with their checkpoint, by task and place', async () => {
      const [a0, a1, b0] = [aWrite(), aWrite({ idx: 1 }), aWrite({ task_id: 'b' })]
      await store.checkpoints.putWrites(key, [b0, a1])
      await store.checkpoints.putWrites(key, [a0])
      await put({ checkpoint_id: 'c0' })
      expect(await writes()).toEqual([a0, a1, b0])
      expect(await store.checkpoints.get({ ...LATEST, checkpoint_id: 'c0' })).toMatchObject({
        writes: [],
      })
    })

    it('come in the order of their tasks, where it is known', async () => {
      const [first, second] = [aWrite({ task_id: 'z' }), aWrite({ task_id: 'y' })]
      const unplaced = aWrite({ task_id: 'x' })
      await store.checkpoints.putWrites(key, [{ ...second, task_path: '~pull, b' }])
      await store.checkpoints.putWrites(key, [{ ...first, task_path: '~pull, a' }])
      await store.checkpoints.putWrites(key, [unplaced])
      expect(await writes()).toEqual([unplaced, first, second])
      await store.checkpoints.copyThread('t', 'copy')
      const copy = await store.checkpoints.get({ ...LATEST, thread_id: 'copy' })
      expect(copy?.writes).toEqual([unplaced, first, second])
    })

    it('stand once written, but for the special ones, which are replaced', async () => {
      const later = bytesOf('later')
      await store.checkpoints.putWrites(key, [aWrite(), aWrite({ idx: -1, channel: '__error__' })])
      await store.checkpoints.putWrites(key, [
        aWrite(later),
        aWrite({ ...later, idx: -1, channel: '__error__' }),
      ])
      expect(await writes()).toEqual([
        aWrite({ ...later, idx: -1, channel: '__error__' }),
        aWrite(),
      ])
    })

    it('and checkpoints are stored together as one after the other', async () => {
      const later = bytesOf('later')
      const special = { idx: -1, channel: '__error__' }
      const checkpoint = aCheckpoint({ checkpoint_id: 'c2' })
      const values = [holding({ a: '1' })('a')]
      await store.checkpoints.putAll([
        { key, writes: [aWrite(special), aWrite()] },
        { checkpoint, versions: { a: '0' }, values: [] },
        { key, writes: [aWrite(later), aWrite({ ...special, ...later })] },
        { checkpoint, versions: { a: '1' }, values },
        { checkpoint: aCheckpoint({ checkpoint_id: 'c3' }), versions: { a: '1' }, values },
      ])
      await store.checkpoints.putAll([])
      const stored = await store.checkpoints.get(key)
      expect(stored?.writes).toEqual([aWrite({ ...special, ...later }), aWrite()])
      for (const checkpoint_id of ['c2', 'c3']) {
        expect(await store.checkpoints.get({ ...LATEST, checkpoint_id })).toMatchObject({ values })
      }
    })

    it('of a later run hide those of the run before, special ones only', async () => {
      const special = { idx: -4, channel: '__resume__' }
      await store.checkpoints.putWrites(key, [aWrite(special), aWrite()])
      const lease = await takeLease()
      const later = bytesOf('later')
      await store.checkpoints.putWrites(
        key,
        [aWrite({ ...special, ...later }), aWrite(later)],
        lease,
      )
      expect(await writes()).toEqual([aWrite({ ...special, ...later }), aWrite()])
    })
  })

  describe('a lease', () => {
    it('lets its holder write, and no one else', async () => {
      const lease = await takeLease()
      await put({ run_id: lease.run_id }, { a: '1' }, ['a'], lease)
      await store.checkpoints.putWrites(aCheckpoint(), [aWrite()], lease)
      const lost = { ...lease, token: lease.token - 1 }
      const refusal = { code: 'conflict', message: expect.stringContaining(lease.run_id) }
      await expect(put({ checkpoint_id: 'c2' }, {}, [], lost)).rejects.toMatchObject(refusal)
      const writing = store.checkpoints.putWrites(aCheckpoint(), [aWrite({ idx: 1 })], lost)
      await expect(writing).rejects.toMatchObject(refusal)
      expect(await store.checkpoints.get(LATEST)).toMatchObject({
        checkpoint_id: 'c1',
        writes: [{ idx: 0 }],
      })
    })

    it('that was lost to another server refuses within the transaction', async () => {
      const lease = await takeLease()
      const other = await world().another()
      await other.runs.release({ now: 0, dead_servers: ['s'] })
      await expect(put({}, {}, [], lease)).rejects.toMatchObject({ code: 'conflict' })
      expect(await store.checkpoints.get(LATEST)).toBeUndefined()
    })
  })

  describe('removing a run', () => {
    it('leaves the thread at the checkpoint before it', async () => {
      await put({ checkpoint_id: 'c1', run_id: 'old' }, { a: '1', b: '1' })
      await put({ checkpoint_id: 'c2', run_id: 'gone' }, { a: '2', b: '1' }, ['a'])
      await put({ checkpoint_id: 'c3', run_id: 'gone', checkpoint_ns: 'child' }, { a: '1' })
      await store.checkpoints.putWrites(aCheckpoint({ checkpoint_id: 'c2' }), [aWrite()])
      await store.checkpoints.deleteRun('t', 'gone')
      expect(await ids({ thread_id: 't' })).toEqual(['c1'])
      expect(await store.checkpoints.get(LATEST)).toMatchObject({
        checkpoint_id: 'c1',
        values: [{ version: '1' }, { version: '1' }],
      })
    })

    it('removes the values and writes that only it used', async () => {
      await put({ checkpoint_id: 'c1', run_id: 'gone' }, { a: '1', shared: '1' })
      await store.checkpoints.putWrites(aCheckpoint(), [aWrite()])
      await put({ checkpoint_id: 'c2' }, { shared: '1' }, [])
      await store.checkpoints.deleteRun('t', 'gone')
      await put({ checkpoint_id: 'c1' }, { a: '1', shared: '1' }, [])
      const again = await store.checkpoints.get({ ...LATEST, checkpoint_id: 'c1' })
      expect(again).toMatchObject({ values: [{ channel: 'shared' }], writes: [] })
    })

    it('uncovers what an older run had written to the checkpoint it went on from', async () => {
      const interrupt = { idx: -3, channel: '__interrupt__' }
      await put({ run_id: 'old' })
      await store.checkpoints.putWrites(aCheckpoint(), [aWrite(interrupt)])
      const lease = await takeLease()
      await store.checkpoints.putWrites(
        aCheckpoint(),
        [aWrite({ ...interrupt, ...bytesOf('again') }), aWrite({ task_id: 'resumed' })],
        lease,
      )
      await store.checkpoints.deleteRun('t', lease.run_id)
      expect((await store.checkpoints.get(LATEST))?.writes).toEqual([aWrite(interrupt)])
    })

    it('leaves other threads alone', async () => {
      await put({ run_id: 'r' }, { a: '1' })
      await put({ thread_id: 'u', run_id: 'r' }, { a: '1' })
      await store.checkpoints.deleteRun('t', 'r')
      expect(await store.checkpoints.list({})).toMatchObject([{ thread_id: 'u', values: [{}] }])
    })

    it('is told whether anything that it wrote is stored', async () => {
      const lease = await takeLease()
      await put({ run_id: lease.run_id })
      expect(await store.checkpoints.hasWritesOf('t', lease.run_id)).toBe(false)
      await store.checkpoints.putWrites(aCheckpoint(), [aWrite()], lease)
      expect(await store.checkpoints.hasWritesOf('t', lease.run_id)).toBe(true)
      expect(await store.checkpoints.hasWritesOf('u', lease.run_id)).toBe(false)
    })

    it('is told whether it has begun by its checkpoints of the root graph', async () => {
      await put({ run_id: 'r', checkpoint_ns: 'child' })
      expect(await store.checkpoints.hasCheckpointOf('t', 'r')).toBe(false)
      await put({ run_id: 'r', checkpoint_id: 'c2' })
      expect(await store.checkpoints.hasCheckpointOf('t', 'r')).toBe(true)
      expect(await store.checkpoints.hasCheckpointOf('t', 'other')).toBe(false)
    })
  })
}

function holding(versions: Record<string, string>): (channel: string) => ChannelValue {
  return (channel) => {
    const version = versions[channel] ?? ''
    return { channel, version, ...bytesOf(`${channel}@${version}`) }
  }
}

function aWrite(change: Partial<PendingWrite> = {}): PendingWrite {
  return { task_id: 'a', channel: 'messages', idx: 0, ...bytesOf('first'), ...change }
}
