import { readFileSync } from 'node:fs'
import { rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import type { LogPage, LogQuery } from '../core/deployment/revision-log.ts'
import { createRevisionLogs } from './revision-logs.ts'

const START = Date.parse('2026-11-20T12:00:00.000Z')

let dir: string
beforeEach(() => {
  dir = temporaryFolder()
})

const logs = createRevisionLogs({
  paths: (kind, id) => [join(dir, `${id}.${kind}`), join(dir, `${id}.${kind}.1`)],
})

/** Lines, one for each second from the given one on. */
function lines(texts: string[], second = 0): string {
  return texts
    .map((text, index) => `${new Date(START + (second + index) * 1000).toISOString()} ${text}\n`)
    .join('')
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`)

function read(change: Partial<LogQuery> = {}, ...ids: string[]): Promise<LogPage> {
  const sources = (ids.length ? ids : ['one']).map((revision_id) => ({
    revision_id,
    sinceMs: START,
    mask: (text: string) => text.replaceAll('the-secret', '***'),
  }))
  return logs.read({ kind: 'deploy', sources, order: 'asc', limit: 10, ...change })
}

const messages = async (...of: Parameters<typeof read>) =>
  (await read(...of)).entries.map((entry) => entry.message)

/** All pages, each of `limit` entries. */
async function readAll(change: Partial<LogQuery>, ...ids: string[]) {
  const pages: LogPage[] = []
  for (let after: string | undefined; ; ) {
    const page = await read({ ...change, after }, ...ids)
    pages.push(page)
    if (page.next === null) return pages.flatMap((one) => one.entries)
    after = page.next
  }
}

describe('a revision’s log', () => {
  it('is empty as long as nothing was written', async () => {
    expect(await read()).toEqual({ entries: [], next: null })
    await writeFile(join(dir, 'one.deploy'), '')
    expect(await read()).toEqual({ entries: [], next: null })
  })

  it('is read from its beginning or from its end, a page at a time', async () => {
    await writeFile(join(dir, 'one.deploy'), lines(numbered(25)))
    const ascending = await readAll({ limit: 10 })
    expect(ascending.map((entry) => entry.message)).toEqual(numbered(25))
    expect(ascending[3]?.timestamp).toBe('2026-11-20T12:00:03.000Z')
    const descending = await readAll({ limit: 10, order: 'desc' })
    expect(descending).toEqual(ascending.toReversed())
    expect(new Set(ascending.map((entry) => entry.id)).size).toBe(25)
  })

  it('ends a last page that is full without another one', async () => {
    await writeFile(join(dir, 'one.deploy'), lines(numbered(10)))
    expect(await read({ limit: 10 })).toMatchObject({ next: null })
  })

  it('shows what was written since on the page after the last', async () => {
    await writeFile(join(dir, 'one.deploy'), lines(numbered(2)))
    const after = (await read()).entries.at(-1)?.id
    await writeFile(join(dir, 'one.deploy'), lines(['more'], 2), { flag: 'a' })
    expect(await messages({ after })).toEqual(['more'])
  })

  it('leaves out a line that is being written, and what a power cut left of one', async () => {
    const text = `${lines(['whole'])}ruin\n${lines(['next'], 1)}${lines(['unfinished'], 2).slice(0, -1)}`
    await writeFile(join(dir, 'one.deploy'), text)
    expect(await messages()).toEqual(['whole', 'next'])
    expect(await messages({ order: 'desc' })).toEqual(['next', 'whole'])
  })

  it('goes on in the file that it was before, and keeps its ids through the renaming', async () => {
    const path = join(dir, 'one.deploy')
    await writeFile(path, lines(numbered(4)))
    const before = (await read()).entries
    await rename(path, `${path}.1`)
    // In the same millisecond as the previous line.
    await writeFile(path, lines(['first of the new'], 3))
    const all = await readAll({ limit: 1 })
    expect(all.slice(0, 4)).toEqual(before)
    expect(all.map((entry) => entry.message)).toEqual([...numbered(4), 'first of the new'])
    expect(await readAll({ limit: 1, order: 'desc' })).toEqual(all.toReversed())
  })

  it('of several revisions is merged by time', async () => {
    await writeFile(join(dir, 'one.deploy'), lines(['one 0', 'one 1', 'one 2']))
    await writeFile(join(dir, 'two.deploy'), lines(['two 1', 'two 2'], 1))
    const all = await readAll({ limit: 2 }, 'one', 'two', 'three')
    expect(all.map((entry) => entry.message)).toEqual(['one 0', 'one 1', 'two 1', 'one 2', 'two 2'])
    const descending = await readAll({ limit: 2, order: 'desc' }, 'one', 'two', 'three')
    expect(descending).toEqual(all.toReversed())
  })

  it('can be of one level, of a text, of a run and of a time only', async () => {
    const structured = '{"level":"error","time":"x","pid":1,"run_id":"r-1","msg":"run failed"}'
    const texts = ['npm warn old', 'npm error gone', structured, 'Plain words', '[debug] detail']
    await writeFile(join(dir, 'one.deploy'), lines(texts))
    expect((await read()).entries.map(({ level, message }) => [level, message])).toEqual([
      ['WARNING', 'npm warn old'],
      ['ERROR', 'npm error gone'],
      ['ERROR', 'run failed {"run_id":"r-1"}'],
      ['INFO', 'Plain words'],
      ['DEBUG', '[debug] detail'],
    ])
    expect(await messages({ level: 'ERROR' })).toHaveLength(2)
    expect(await messages({ query: 'PLAIN' })).toEqual(['Plain words'])
    expect(await messages({ run_id: 'r-1' })).toEqual(['run failed {"run_id":"r-1"}'])
    expect(await messages({ startMs: START + 1000, endMs: START + 2000 })).toHaveLength(2)
    expect(await messages({ startMs: START + 1000, endMs: START + 2000, order: 'desc' })).toEqual([
      'run failed {"run_id":"r-1"}',
      'npm error gone',
    ])
  })

  it('neither shows a secret nor lets it be searched for', async () => {
    await writeFile(join(dir, 'one.deploy'), lines(['key the-secret used']))
    expect(await messages()).toEqual(['key *** used'])
    expect(await messages({ query: 'the-secret' })).toEqual([])
  })

  it('is removed with all its files', async () => {
    for (const name of ['one.deploy', 'one.deploy.1', 'one.build']) {
      await writeFile(join(dir, name), lines(['x']))
    }
    await logs.remove('one')
    await logs.remove('one')
    expect(await messages()).toEqual([])
    expect(await messages({ kind: 'build' })).toEqual([])
  })
})

describe('a large log', () => {
  const count = 100_000
  const filler = 'ü'.repeat(40)
  const at = (index: number) => `line ${index} ${filler}`

  it('is read at any place without reading all of it', async () => {
    const path = join(dir, 'one.deploy')
    await writeFile(path, lines(Array.from({ length: count }, (_, index) => at(index))))
    const { size } = await stat(path)
    expect(size).toBeGreaterThan(10_000_000)
    const before = bytesRead()
    const middle = START + 50_000_000
    expect(await messages({ startMs: middle, limit: 2 })).toEqual([at(50_000), at(50_001)])
    expect(await messages({ endMs: middle, order: 'desc', limit: 2 })).toEqual([
      at(50_000),
      at(49_999),
    ])
    const { next } = await read({ startMs: middle, limit: 1 })
    expect(await messages({ after: next ?? '', limit: 1 })).toEqual([at(50_001)])
    expect(await messages({ order: 'desc', limit: 1 })).toEqual([at(count - 1)])
    expect(bytesRead() - before).toBeLessThan(size / 2)
  })
})

/** Read by this process since its start. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
}
