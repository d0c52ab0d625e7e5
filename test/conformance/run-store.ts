/** What every store of runs must do: the line of a thread, leases, ends. */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AgentStore } from '../../src/core/agent/agent-store.ts'
import { isSuspect, MAX_RUN_ATTEMPTS } from '../../src/core/agent/retry.ts'
import {
  FIRST_TOKEN,
  isTerminal,
  type Lease,
  type NewRun,
  type QueuedRun,
  RUN_STATUSES,
  type RunStatus,
} from '../../src/core/agent/run.ts'
import { type AgentStoreWorld, aRun, aThread, LATER } from '../support/agent/agent-records.ts'
import { claimRun } from '../support/agent/claim-run.ts'

const NOW = 1_795_000_000_000

export function testRunStore(world: () => AgentStoreWorld): void {
  let store: AgentStore
  beforeEach(() => {
    store = world().store
  })

  async function insertThread(): Promise<string> {
    const thread = aThread()
    await store.threads.insert(thread)
    return thread.thread_id
  }

  async function insertRun(change: Partial<NewRun> = {}): Promise<QueuedRun> {
    const run = aRun({ thread_id: change.thread_id ?? (await insertThread()), ...change })
    return store.transaction((tx) => tx.runs.insert(run))
  }

  async function insertRuns(thread_id: string, count: number): Promise<QueuedRun[]> {
    return store.transaction(async (tx) => {
      const runs: QueuedRun[] = []
      for (let i = 0; i < count; i++) runs.push(await tx.runs.insert(aRun({ thread_id })))
      return runs
    })
  }

  const claim = (from = store, server_id = 'here') =>
    claimRun(from, { server_id, now: NOW, lease_expires_at: NOW + 1000 })

  async function mustClaim(from = store, server_id = 'here') {
    return (await claim(from, server_id)) ?? expect.fail('nothing to claim')
  }

  const finish = (lease: Lease, from = store) =>
    from.runs.finish(lease, { status: 'success', error: null, updated_at: LATER })

  const release = (from: { now?: number; dead_servers?: string[] } = {}) =>
    store.runs.release({ now: NOW, dead_servers: [], ...from })

  describe('runs', () => {
    it('may be given other kwargs, each by itself', async () => {
      const [first, second] = await insertRuns(await insertThread(), 2)
      if (!first || !second) throw new Error('There are no runs.')
      const kwargs = { ...first.kwargs, config: { configurable: { user: 'ü' } } }
      expect(await store.runs.setKwargs(first.run_id, kwargs)).toBe(true)
      expect(await store.runs.get(first.run_id)).toMatchObject({ ...first, kwargs })
      expect(await store.runs.get(second.run_id)).toMatchObject(second)
      expect(await store.runs.setKwargs(randomUUID(), kwargs)).toBe(false)
    })

    it('are glanced at without what can be large', async () => {
      const { run_id, thread_id, status, updated_at } = await insertRun()
      const glance = await store.runs.glance(run_id)
      expect({ ...glance }).toEqual({ run_id, thread_id, status, updated_at })
      expect(await store.runs.glance(randomUUID())).toBeUndefined()
    })

    it('are answered as they were stored', async () => {
      const thread_id = await insertThread()
      const run = aRun({
        thread_id,
        metadata: { a: { b: [null, 'ü'] } },
        kwargs: { input: null, config: { tags: [] }, stream_mode: [], stream_subgraphs: true },
        available_at: NOW,
      })
      const stored = await store.runs.insert(run)
      expect(stored).toEqual({
        ...run,
        attempt: 0,
        cancel_action: null,
        cancel_reason: null,
        stop_outcome: null,
        error: null,
        started_at: null,
        origin: null,
      })
      expect(await store.runs.get(run.run_id)).toEqual({ ...stored, seq: expect.any(Number) })
      expect(await store.runs.get('none')).toBeUndefined()
    })

    it('have the whole of a long input wherever they are read', async () => {
      const kwargs = { ...aRun().kwargs, input: { text: 'ü"'.repeat(20_000), list: [null, 1] } }
      const { kwargs: answered, run_id } = await insertRun({ kwargs })
      expect(answered).toEqual(kwargs)
      const added = (await store.runs.get(run_id)) ?? expect.fail('it was not added')
      const { thread_id } = added
      expect(added.kwargs).toEqual(kwargs)
      expect(await store.runs.latest(thread_id)).toEqual(added)
      expect(await store.runs.list(thread_id, { limit: 1, offset: 0 })).toEqual([added])
      const found = { ...added, is_waiting: false }
      expect(await store.runs.search({ thread_id }, { limit: 1 })).toEqual([found])
      const statuses = { after: added.seq - 1, limit: 1 }
      expect(await store.runs.listWithStatus(['pending'], statuses)).toEqual([added])
      expect((await mustClaim()).run.kwargs).toEqual(kwargs)
      expect(await store.runs.setKwargs(run_id, { ...kwargs, config: { tags: [] } })).toBe(true)
      const changed = await store.runs.get(run_id)
      expect(changed?.kwargs).toEqual({ ...kwargs, config: { tags: [] } })
      expect(await store.runs.delete(run_id)).toBe(true)
    })

    it('are found by a text that they mention, with their excerpt', async () => {
      const thread_id = await insertThread()
      const input = { messages: [{ role: 'user', content: 'Grüße "an" Ada' }] }
      const asked = await insertRun({ thread_id, kwargs: { ...aRun().kwargs, input } })
      const command = { resume: 'grüße' }
      await insertRun({ thread_id, kwargs: { ...aRun().kwargs, command } })
      const { lease } = await mustClaim()
      const excerpt = { last: 'Done.', question: 'GRÜSSE?', input_tokens: 3 }
      const attempt = { token: FIRST_TOKEN, attempt: 1, server_id: 's', pid: 1, revision_id: null }
      const times = { started_at: NOW, ended_at: NOW, outcome: 'success', left_out: 0 } as const
      const node = { span_id: 'x', kind: 'node', name: 'nodes', step: 1 } as const
      const span = {
        ...node,
        namespace: [],
        started_at: NOW,
        ended_at: NOW,
        status: 'success',
      } as const
      // Too long for the row of the run.
      const output = 'x'.repeat(5_000)
      const timeline = {
        attempt: { ...attempt, ...times },
        spans: [{ ...span, namespace: [], output }],
        excerpt,
      }
      const end = { status: 'success', error: null, updated_at: LATER, timeline } as const
      expect(await store.runs.finish(lease, end)).toBe(true)
      const search = async (text: string, limit = 10) => {
        const { runs, lookedAt } = await store.runs.searchText({ thread_id }, text, { limit })
        return [runs.map(({ run_id }) => run_id === asked.run_id), lookedAt]
      }
      expect(await search('GRÜßE')).toEqual([[false, true], undefined])
      expect(await search('"an"')).toEqual([[true], undefined])
      expect(await search('grüsse?')).toEqual([[true], undefined])
      expect(await search('nodes')).toEqual([[], undefined])
      const [, found] = await store.runs.search({ thread_id }, { limit: 2 })
      expect(found).toMatchObject({ run_id: asked.run_id, excerpt })
      const entries = await store.timelines.read(asked.run_id)
      expect(entries.flatMap(({ spans }) => spans)).toEqual([{ ...span, namespace: [], output }])
    })

    it('are looked through for a text up to the latest 1,000', async () => {
      const thread_id = await insertThread()
      const kwargs = { ...aRun().kwargs, input: 'first' }
      const first = await insertRun({ thread_id, kwargs })
      await insertRuns(thread_id, 1_000)
      const found = await store.runs.searchText({ thread_id }, 'first', { limit: 10 })
      expect(found).toEqual({ runs: [], lookedAt: 1_000 })
      await store.runs.delete((await insertRuns(thread_id, 1))[0]?.run_id ?? '')
      const created_before = { created_before: LATER, run_id: first.run_id }
      const earlier = { thread_id, ...created_before }
      const alone = await store.runs.searchText(earlier, 'FIRST', { limit: 10 })
      expect(alone.runs).toMatchObject([{ run_id: first.run_id }])
      await insertRun({ thread_id, kwargs })
      await insertRun({ thread_id, kwargs })
      const cut = await store.runs.searchText({ thread_id }, 'first', { limit: 1 })
      expect(cut).toMatchObject({ runs: [{}], lookedAt: 1_000 })
    })

    it('are looked through for a text up to 16 MiB, page by page', async () => {
      const thread_id = await insertThread()
      const config = { configurable: { text: 'x'.repeat(6 * 1024 ** 2) } }
      const kwargs = { ...aRun().kwargs, input: 'Tea', config }
      const runs = [
        await insertRun({ thread_id, kwargs: { ...kwargs, config: {} } }),
        await insertRun({ thread_id, kwargs }),
        await insertRun({ thread_id, kwargs }),
        await insertRun({ thread_id, kwargs }),
      ]
      const search = async (page: { limit: number; before?: number }) => {
        const found = await store.runs.searchText({ thread_id }, 'tea', page)
        const place = new Map(runs.map(({ run_id }, index) => [run_id, index]))
        return [found.runs.map(({ run_id }) => place.get(run_id)), found.lookedAt]
      }
      expect(await search({ limit: 10 })).toEqual([[3, 2], 2])
      const { seq = 0 } = (await store.runs.get(runs[2]?.run_id ?? '')) ?? {}
      expect(await search({ limit: 1, before: seq })).toEqual([[1], undefined])
      expect(await search({ limit: 10, before: seq })).toEqual([[1, 0], undefined])
    })

    it('can be added as claimed, where nothing else of the thread is', async () => {
      const thread_id = await insertThread()
      const claim = { server_id: 'here', now: NOW, lease_expires_at: NOW + 1000 }
      const added = await store.runs.insert(aRun({ thread_id }), claim)
      expect(added).toMatchObject({ status: 'running', attempt: 1, started_at: NOW })
      expect(await store.runs.get(added.run_id)).toMatchObject(added)
      const lease = { run_id: added.run_id, server_id: 'here', token: FIRST_TOKEN }
      expect(await store.runs.holds(lease)).toBe(true)
      expect(await store.runs.renew([lease], NOW + 2000)).toMatchObject([{ held: true }])

      const next = await insertRun({ thread_id })
      expect(await claimRun(store, claim)).toBeUndefined()
      await expect(store.runs.insert(aRun({ thread_id }), claim)).rejects.toThrow()
      expect(await release({ dead_servers: ['here'] })).toMatchObject({ released: [added.run_id] })
      expect((await mustClaim()).lease).toEqual({ ...lease, token: FIRST_TOKEN + 1 })
      expect(await store.runs.get(next.run_id)).toMatchObject({ status: 'pending' })
    })

    it('are counted while they are not over, and tell who waits longest', async () => {
      const none = { waiting: 0, delayed: 0, running: 0, oldest_due_at: null }
      expect(await store.runs.figures(NOW)).toEqual(none)
      await insertRun({ available_at: NOW - 9 })
      const { lease } = await mustClaim()
      for (const available_at of [NOW - 5, NOW, NOW + 1]) await insertRun({ available_at })
      const figures = { waiting: 2, delayed: 1, running: 1, oldest_due_at: NOW - 5 }
      expect(await store.runs.figures(NOW)).toEqual(figures)
      await finish(lease)
      expect(await store.runs.figures(NOW)).toEqual({ ...figures, running: 0 })
    })

    it('of a thread are counted as far as it matters', async () => {
      const thread_id = await insertThread()
      await insertRuns(thread_id, 3)
      await insertRun()
      await mustClaim()
      expect(await store.runs.hasPending(thread_id, 2)).toBe(true)
      expect(await store.runs.hasPending(thread_id, 3)).toBe(false)
    })

    it('keep the order received over all threads, and give no place twice', async () => {
      const seqOf = async ({ run_id }: { run_id: string }) =>
        (await store.runs.get(run_id))?.seq ?? expect.fail('it was not added')
      const first = await insertRun()
      const removed = await insertRun()
      const seqOfRemoved = await seqOf(removed)
      await store.runs.delete(removed.run_id)
      const last = await insertRun({ thread_id: first.thread_id })
      expect(seqOfRemoved).toBeGreaterThan(await seqOf(first))
      expect(await seqOf(last)).toBeGreaterThan(seqOfRemoved)
    })

    it('are listed while they are active, in the order received', async () => {
      const thread_id = await insertThread()
      const [first, second, third] = await insertRuns(thread_id, 3)
      await insertRun()
      const { lease } = await mustClaim()
      const ids = async () => (await store.runs.listActive(thread_id)).map((run) => run.run_id)
      expect(await ids()).toEqual([first?.run_id, second?.run_id, third?.run_id])
      await finish(lease)
      expect(await ids()).toEqual([second?.run_id, third?.run_id])
    })

    it('are listed page by page, the latest first, all or those with a status', async () => {
      const thread_id = await insertThread()
      const runs = await insertRuns(thread_id, 3)
      await insertRun()
      const ids = runs.map((run) => run.run_id).toReversed()
      const list = async (page: { status?: RunStatus; limit: number; offset: number }) =>
        (await store.runs.list(thread_id, page)).map((run) => run.run_id)
      expect(await list({ limit: 10, offset: 0 })).toEqual(ids)
      expect(await list({ limit: 1, offset: 1 })).toEqual(ids.slice(1, 2))
      const { lease } = await mustClaim()
      await finish(lease)
      expect(await list({ status: 'success', limit: 10, offset: 0 })).toEqual(ids.slice(2))
      expect(await list({ status: 'pending', limit: 1, offset: 1 })).toEqual(ids.slice(1, 2))
    })

    it('make their thread busy while one is active', async () => {
      const { thread_id } = await insertRun()
      expect(await store.runs.hasActive(thread_id)).toBe(true)
      const { lease } = await mustClaim()
      expect(await store.runs.hasActive(thread_id)).toBe(true)
      await finish(lease)
      expect(await store.runs.hasActive(thread_id)).toBe(false)
    })

    it('are found by status over all threads, in the order received', async () => {
      const [first, second, third] = [await insertRun(), await insertRun(), await insertRun()]
      await mustClaim()
      const ids = async (statuses: ('pending' | 'running')[], after = 0, limit = 10) =>
        (await store.runs.listWithStatus(statuses, { after, limit })).map((run) => run.run_id)
      expect(await ids(['running'])).toEqual([first.run_id])
      expect(await ids(['pending'])).toEqual([second.run_id, third.run_id])
      const all = [first.run_id, second.run_id, third.run_id]
      expect(await ids(['pending', 'running'])).toEqual(all)
      const seq = (await store.runs.get(first.run_id))?.seq
      expect(await ids(['pending', 'running'], seq, 1)).toEqual([second.run_id])
    })

    it('have a latest one in each thread, whatever its status', async () => {
      const thread_id = await insertThread()
      expect(await store.runs.latest(thread_id)).toBeUndefined()
      const runs = await insertRuns(thread_id, 2)
      await insertRun()
      await store.runs.interruptPending(runs[1]?.run_id ?? '', LATER)
      expect(await store.runs.latest(thread_id)).toMatchObject({
        run_id: runs[1]?.run_id,
        status: 'interrupted',
      })
    })

    it('are removed once', async () => {
      const { run_id } = await insertRun()
      expect(await store.runs.delete(run_id)).toBe(true)
      expect(await store.runs.delete(run_id)).toBe(false)
      expect(await store.runs.get(run_id)).toBeUndefined()
    })
  })

  describe('a claim', () => {
    it('takes the oldest run and notes who has it', async () => {
      const first = await insertRun()
      await insertRun()
      const { run, lease } = await mustClaim()
      expect(run).toMatchObject({ ...first, status: 'running', attempt: 1, started_at: NOW })
      expect(lease).toEqual({ run_id: first.run_id, server_id: 'here', token: 1 })
      expect(await store.runs.holds(lease)).toBe(true)
    })

    it('leaves the runs of some graphs, with the lines behind them', async () => {
      const thread_id = await insertThread()
      const left = await insertRun({ thread_id, metadata: { graph_id: 'one "graph"' } })
      await insertRun({ thread_id, metadata: { graph_id: 'agent' } })
      await insertRun({ metadata: { graph_id: 'other' } })
      const taken = await insertRun({ metadata: { graph_id: 'agent' } })
      const ask = { server_id: 'here', now: NOW, lease_expires_at: NOW + 1000 }
      const except_graphs = ['one "graph"', 'other']
      expect(await claimRun(store, { ...ask, except_graphs })).toMatchObject({
        run: { run_id: taken.run_id },
      })
      expect(await claimRun(store, { ...ask, except_graphs })).toBeUndefined()
      expect((await mustClaim()).run.run_id).toBe(left.run_id)
    })

    it('takes several, each the first of its thread, in the order received', async () => {
      const threads = [await insertThread(), await insertThread(), await insertThread()]
      const firsts: QueuedRun[] = []
      for (const thread_id of threads) firsts.push(...(await insertRuns(thread_id, 2)).slice(0, 1))
      const claim = async (count: number) => {
        const times = { now: NOW, lease_expires_at: NOW + 1000 }
        const taken = await store.runs.claim({ server_id: 'here', ...times }, count)
        return taken.map(({ run, lease }) => [run.run_id, lease.token])
      }
      const expected = firsts.map(({ run_id }) => [run_id, 1])
      expect(await claim(2)).toEqual(expected.slice(0, 2))
      expect(await claim(9)).toEqual(expected.slice(2))
      expect(await claim(9)).toEqual([])
    })

    it('holds its lease, whatever is asked of the run, until it is given back', async () => {
      const { run_id } = await insertRun()
      const { lease } = await mustClaim()
      expect(await store.runs.holds(lease)).toBe(true)
      await store.runs.requestCancel(run_id, 'rollback')
      expect(await store.runs.holds(lease)).toBe(true)
      await store.runs.giveBack(lease)
      expect(await store.runs.holds(lease)).toBe(false)
    })

    it('passes a busy thread’s thousand waiting runs', async () => {
      const busy = await insertThread()
      await insertRuns(busy, 1001)
      const free = await insertRun()
      const { lease } = await mustClaim()
      expect((await mustClaim()).run.run_id).toBe(free.run_id)
      expect(await claim()).toBeUndefined()
      await finish(lease)
      expect((await mustClaim()).run.thread_id).toBe(busy)
    })

    it('gives each run to one of two connections, never two of a thread at once', async () => {
      const stores = [store, await world().another()]
      const threads = [await insertThread(), await insertThread(), await insertThread()]
      for (const thread_id of threads) await insertRuns(thread_id, 10)
      const done: QueuedRun[] = []
      while (done.length < 30) {
        const claims = Array.from({ length: 8 }, (_, i) => claim(stores[i % 2], `server ${i % 2}`))
        const taken = (await Promise.all(claims)).filter((one) => one !== undefined)
        expect(taken.map(({ run }) => run.thread_id).toSorted()).toEqual(threads.toSorted())
        await Promise.all(taken.map(({ lease }, i) => finish(lease, stores[i % 2])))
        done.push(...taken.map(({ run }) => run))
      }
      for (const thread_id of threads) {
        const ofThread = done.filter((run) => run.thread_id === thread_id)
        const stored = await Promise.all(ofThread.map(({ run_id }) => store.runs.get(run_id)))
        const order = stored.map((run) => run?.seq ?? expect.fail('a run is gone'))
        expect(order).toEqual(order.toSorted((a, b) => a - b))
      }
      expect(new Set(done.map((run) => run.run_id)).size).toBe(30)
    })

    it('does not see a run before its transaction is through', async () => {
      const thread_id = await insertThread()
      const failed = store.transaction(async (tx) => {
        await tx.runs.insert(aRun({ thread_id }))
        throw new Error('undo')
      })
      const early = claim()
      await expect(failed).rejects.toThrow('undo')
      expect(await early).toBeUndefined()
    })
  })

  describe('a delayed run', () => {
    it('tells when to look again', async () => {
      expect(await store.runs.nextDue(NOW)).toBeUndefined()
      await insertRun({ available_at: NOW })
      await insertRun({ available_at: NOW + 20 })
      await insertRun({ available_at: NOW + 10 })
      expect(await store.runs.nextDue(NOW)).toBe(NOW + 10)
    })
  })

  it('counts the threads that have a run to claim', async () => {
    expect(await store.runs.countClaimable(NOW)).toBe(0)
    const busy = await insertThread()
    await insertRun({ thread_id: busy })
    await mustClaim()
    await insertRun({ thread_id: busy })
    const twice = await insertThread()
    for (let i = 0; i < 2; i += 1) await insertRun({ thread_id: twice })
    await insertRun()
    await insertRun({ available_at: NOW + 1 })
    expect(await store.runs.countClaimable(NOW)).toBe(2)
    expect(await store.runs.countClaimable(NOW + 1)).toBe(3)
  })

  describe('a lease', () => {
    it('that is held ends its run, once', async () => {
      const { run_id } = await insertRun()
      const { lease } = await mustClaim()
      const error = { error: 'TypeError', message: 'no' }
      const end = {
        status: 'error',
        error,
        stop_outcome: 'cut_off',
        updated_at: LATER,
      } as const
      expect(await store.runs.finish(lease, end)).toBe(true)
      expect(await store.runs.finish(lease, { ...end, status: 'success' })).toBe(false)
      expect(await store.runs.get(run_id)).toMatchObject({
        status: 'error',
        error,
        stop_outcome: 'cut_off',
        updated_at: LATER,
      })
      expect(await store.runs.holds(lease)).toBe(false)
    })

    it.each([
      ['rollback', false],
      ['interrupt', true],
    ] as const)('ends a run of which %s was asked: %s', async (action, isEnded) => {
      const { run_id } = await insertRun()
      const { lease } = await mustClaim()
      await store.runs.requestCancel(run_id, action)
      const end = { status: 'success', error: null, updated_at: LATER } as const
      expect(await store.runs.finish(lease, end)).toBe(isEnded)
      const status = isEnded ? 'success' : 'running'
      expect(await store.runs.get(run_id)).toMatchObject({ status })
      expect(await store.runs.holds(lease)).toBe(!isEnded)
    })

    it.each(RUN_STATUSES.filter((status) => !isTerminal(status)))(
      'does not end its run as %s',
      async (status) => {
        await insertRun()
        const { lease } = await mustClaim()
        const end = { status, error: null, updated_at: LATER }
        await expect(store.runs.finish(lease, end)).rejects.toMatchObject({ code: 'internal' })
      },
    )

    it('is worth nothing once the run was handed on, and tokens only grow', async () => {
      await insertRun()
      const { lease: first } = await mustClaim()
      await release({ dead_servers: ['here'] })
      expect(await store.runs.holds(first)).toBe(false)
      const { lease: second } = await mustClaim()
      expect(second.token).toBeGreaterThan(first.token)
      expect(await store.runs.holds(first)).toBe(false)
      expect(await finish(first)).toBe(false)
      expect(await store.runs.giveBack(first)).toBe(false)
      expect(await finish(second)).toBe(true)
    })

    it('that was lost is not renewed with the one that the same server has now', async () => {
      await insertRun()
      const { lease: lost } = await mustClaim()
      await store.runs.release({ now: NOW + 1001, dead_servers: [] })
      const { lease: held } = await mustClaim()
      const expected = [{ held: false }, { held: true }]
      expect(await store.runs.renew([lost, held], NOW + 5000)).toMatchObject(expected)
      expect(await store.runs.renew([held, lost], NOW + 5000)).toMatchObject(expected.toReversed())
    })

    it('is renewed while it is held, and the renewal tells of a cancel', async () => {
      await insertRun()
      await insertRun()
      await insertRun()
      const leases = [await mustClaim(), await mustClaim(), await mustClaim()].map((c) => c.lease)
      const [kept, cancelled, lost] = leases as [Lease, Lease, Lease]
      await store.runs.requestCancel(cancelled.run_id, 'rollback')
      await finish(lost)
      expect(await store.runs.renew(leases, NOW + 5000)).toEqual([
        { run_id: kept.run_id, held: true, cancel_action: null },
        { run_id: cancelled.run_id, held: true, cancel_action: 'rollback' },
        { run_id: lost.run_id, held: false, cancel_action: null },
      ])
      expect((await release({ now: NOW + 5000 })).released).toEqual([])
      expect((await release({ now: NOW + 5001 })).released).toHaveLength(2)
    })

    it('ends before its time for a run that has lost its host: the attempt counts', async () => {
      const { run_id } = await insertRun()
      const { lease } = await mustClaim()
      expect(await store.runs.expire(lease)).toBe(true)
      expect((await release({ dead_servers: [] })).released).toEqual([run_id])
      expect(await store.runs.expire(lease)).toBe(false)
      expect((await mustClaim()).run).toMatchObject({ run_id, attempt: 2 })
    })

    it('of a removed run is lost', async () => {
      const { run_id } = await insertRun()
      const { lease } = await mustClaim()
      await store.runs.delete(run_id)
      expect(await store.runs.holds(lease)).toBe(false)
      expect(await store.runs.renew([lease], NOW)).toMatchObject([{ held: false }])
    })
  })

  describe('release', () => {
    it('puts the runs of a dead server back at their old place', async () => {
      const thread_id = await insertThread()
      const [first] = await insertRuns(thread_id, 2)
      await mustClaim(store, 'dead')
      const alive = await insertRun()
      await mustClaim(store, 'alive')
      expect((await release({ dead_servers: ['dead', 'other'] })).released).toEqual([first?.run_id])
      expect(await store.runs.get(alive.run_id)).toMatchObject({ status: 'running' })
      expect((await mustClaim()).run).toMatchObject({ run_id: first?.run_id, attempt: 2 })
    })

    it('puts back what ran past its lease', async () => {
      const { run_id } = await insertRun()
      await mustClaim()
      expect((await release({ now: NOW + 1000 })).released).toEqual([])
      expect((await release({ now: NOW + 1001 })).released).toEqual([run_id])
    })

    it('answers runs whose attempts are used up, with a lease that ends them', async () => {
      const { run_id } = await insertRun()
      for (let i = 1; i < MAX_RUN_ATTEMPTS; i++) {
        await mustClaim()
        expect((await release({ dead_servers: ['here'] })).released).toEqual([run_id])
      }
      await mustClaim()
      const { released, exhausted } = await release({ dead_servers: ['here'] })
      expect(released).toEqual([])
      expect(exhausted).toMatchObject([{ run: { run_id, attempt: MAX_RUN_ATTEMPTS } }])
      const lease = exhausted[0]?.lease ?? expect.fail('no lease')
      const error = { error: 'Error', message: 'its server died' }
      const end = { status: 'error', error, updated_at: LATER } as const
      expect(await store.runs.finish(lease, end)).toBe(true)
    })

    it.each([1, 2, 5])('gives a run %i attempts where the store says so', async (maxAttempts) => {
      const { runs } = await world().another(undefined, maxAttempts)
      const { run_id } = await insertRun()
      const lose = () => runs.release({ now: NOW, dead_servers: ['here'] })
      for (let attempt = 1; attempt < maxAttempts; attempt++) {
        const isAlone = attempt > 1 && attempt === maxAttempts - 1
        expect(await runs.hasSuspect({ now: NOW })).toBe(false)
        await mustClaim()
        expect((await lose()).released).toEqual([run_id])
        if (isAlone) expect(await runs.hasSuspect({ now: NOW })).toBe(true)
      }
      await mustClaim()
      expect(await lose()).toMatchObject({ released: [], exhausted: [{ run: { run_id } }] })
    })

    it('keeps what was asked of the run', async () => {
      const { run_id } = await insertRun()
      await mustClaim()
      await store.runs.requestCancel(run_id, 'interrupt')
      await release({ dead_servers: ['here'] })
      expect((await mustClaim()).run.cancel_action).toBe('interrupt')
    })
  })

  describe('a suspect', () => {
    const only = (which: 'suspects' | 'others', server_id = 'here') =>
      claimRun(store, { server_id, now: NOW, lease_expires_at: NOW + 1000, only: which })

    /** Its servers have died with all attempts but one. */
    async function insertSuspect(thread_id?: string): Promise<QueuedRun> {
      const run = await insertRun(thread_id === undefined ? {} : { thread_id })
      for (let i = 1; i < MAX_RUN_ATTEMPTS; i++) {
        expect((await mustClaim(store, 'dead')).run.run_id).toBe(run.run_id)
        await release({ dead_servers: ['dead'] })
      }
      return run
    }

    it('is claimed by itself, and no other run as one', async () => {
      const suspect = await insertSuspect()
      const other = await insertRun()
      expect(await only('others')).toMatchObject({ run: { run_id: other.run_id } })
      expect(await only('others')).toBeUndefined()
      const claimed = await only('suspects')
      expect(claimed?.run).toMatchObject({ run_id: suspect.run_id, attempt: MAX_RUN_ATTEMPTS })
      expect(claimed && isSuspect(claimed.run, MAX_RUN_ATTEMPTS)).toBe(true)
      expect(await only('suspects')).toBeUndefined()
    })

    it('waits while another executes alone, on whatever server', async () => {
      const ids = [(await insertSuspect()).run_id]
      const first = (await only('suspects', 'one')) ?? expect.fail('nothing to claim')
      ids.push((await insertSuspect()).run_id)
      expect(await store.runs.hasSuspect({ now: NOW })).toBe(false)
      expect(await only('suspects', 'two')).toBeUndefined()
      expect(await store.runs.clear(first.lease)).toBe(true)
      expect(await store.runs.hasSuspect({ now: NOW })).toBe(true)
      const second = await only('suspects', 'two')
      expect([first.run.run_id, second?.run.run_id]).toEqual(ids)
    })

    it('is known to wait where it could be claimed', async () => {
      expect(await store.runs.hasSuspect({ now: NOW })).toBe(false)
      const graph = { metadata: { graph_id: 'agent' } }
      const { run_id } = await insertRun(graph)
      for (let i = 1; i < MAX_RUN_ATTEMPTS; i++) {
        await mustClaim()
        expect(await store.runs.hasSuspect({ now: NOW })).toBe(false)
        await release({ dead_servers: ['here'] })
      }
      expect(await store.runs.hasSuspect({ now: NOW, except_graphs: ['other'] })).toBe(true)
      expect(await store.runs.hasSuspect({ now: NOW, except_graphs: ['agent', 'b'] })).toBe(false)
      await store.runs.requestCancel(run_id, 'interrupt')
      expect(await store.runs.hasSuspect({ now: NOW })).toBe(false)
    })

    it('that is to end needs not be alone', async () => {
      const { run_id } = await insertSuspect()
      await store.runs.requestCancel(run_id, 'interrupt')
      expect(await only('suspects')).toBeUndefined()
      const claimed = await only('others')
      expect(claimed?.run.run_id).toBe(run_id)
      expect(claimed && isSuspect(claimed.run, MAX_RUN_ATTEMPTS)).toBe(false)
    })

    it('keeps the runs behind it in its thread’s line waiting', async () => {
      const { thread_id } = await insertSuspect()
      await insertRun({ thread_id })
      expect(await only('others')).toBeUndefined()
    })

    it('that was alone for long enough is taken up again, and is one again', async () => {
      const { run_id } = await insertSuspect()
      const first = (await only('suspects')) ?? expect.fail('nothing to claim')
      await store.runs.clear(first.lease)
      expect(await release({ dead_servers: ['here'] })).toEqual({
        released: [run_id],
        exhausted: [],
      })
      expect(await store.runs.clear(first.lease)).toBe(false)
      expect(await only('others')).toBeUndefined()
      expect((await only('suspects'))?.run.attempt).toBe(MAX_RUN_ATTEMPTS + 1)
      const { released, exhausted } = await release({ dead_servers: ['here'] })
      expect({ released, ids: exhausted.map(({ run }) => run.run_id) }).toEqual({
        released: [],
        ids: [run_id],
      })
    })

    it('that is handed back is one still', async () => {
      await insertSuspect()
      const { lease } = (await only('suspects')) ?? expect.fail('nothing to claim')
      await store.runs.giveBack(lease)
      expect(await only('others')).toBeUndefined()
      expect((await only('suspects'))?.run.attempt).toBe(MAX_RUN_ATTEMPTS)
    })
  })

  describe('a cancel', () => {
    it('ends a run that waits, and no other', async () => {
      const { run_id } = await insertRun()
      await mustClaim()
      expect(await store.runs.interruptPending(run_id, LATER)).toBe(false)
      const waiting = await insertRun()
      expect(await store.runs.interruptPending(waiting.run_id, LATER)).toBe(true)
      expect(await store.runs.interruptPending(waiting.run_id, LATER)).toBe(false)
      expect(await claim()).toBeUndefined()
    })

    it('is noted on a run that runs, and on no other', async () => {
      const { run_id } = await insertRun()
      expect(await store.runs.requestCancel(run_id, 'interrupt')).toBe(false)
      await mustClaim()
      expect(await store.runs.requestCancel(run_id, 'interrupt')).toBe(true)
      expect(await store.runs.get(run_id)).toMatchObject({ cancel_action: 'interrupt' })
      expect(await store.runs.requestCancel(randomUUID(), 'interrupt')).toBe(false)
    })

    it('is noted on a run that waits again, so that who takes it up ends it', async () => {
      const { run_id } = await insertRun()
      const { lease } = await mustClaim()
      await store.runs.giveBack(lease)
      expect(await store.runs.requestCancel(run_id, 'interrupt')).toBe(true)
      expect((await mustClaim()).run).toMatchObject({ run_id, cancel_action: 'interrupt' })
      await release({ dead_servers: ['here'] })
      expect(await store.runs.requestCancel(run_id, 'rollback')).toBe(true)
      expect((await mustClaim()).run).toMatchObject({ run_id, cancel_action: 'rollback' })
    })

    it('leaves its reason, the first one', async () => {
      const waiting = await insertRun({ available_at: NOW + 1 })
      await store.runs.interruptPending(waiting.run_id, LATER, 'requested: it waits')
      const { run_id } = await insertRun()
      await mustClaim()
      await store.runs.requestCancel(run_id, 'interrupt', 'taken: first')
      await store.runs.requestCancel(run_id, 'rollback', 'requested: second')
      const reasonOf = async (id: string) => (await store.runs.get(id))?.cancel_reason
      expect(await reasonOf(waiting.run_id)).toBe('requested: it waits')
      expect(await reasonOf(run_id)).toBe('taken: first')
    })

    it('that asks for less does not take back a rollback', async () => {
      const { run_id } = await insertRun()
      await mustClaim()
      for (const action of ['interrupt', 'rollback', 'interrupt'] as const) {
        await store.runs.requestCancel(run_id, action)
      }
      expect(await store.runs.get(run_id)).toMatchObject({ cancel_action: 'rollback' })
    })
  })
}
