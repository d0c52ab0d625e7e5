import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { SourceFile, SourceSnapshot } from '../../core/deployment/sources/snapshot.ts'
import { sourceChanges } from './source-changes.ts'

const SHOWN = { isTextShown: true }

function aFile(path: string, content: string, isText = true): SourceFile {
  const digest = createHash('sha256').update(content).digest('hex')
  return { path, bytes: content.length, digest, text: isText ? content : null }
}

function aSnapshot(files: SourceFile[], more: Partial<SourceSnapshot> = {}): SourceSnapshot {
  return { commit: null, files, left_out: 0, packages: {}, ...more }
}

it('names files that were added, changed and removed, with their lines', async () => {
  const kept = aFile('kept.ts', 'same\n')
  const before = aSnapshot([kept, aFile('a.ts', 'one\ntwo\nthree\n'), aFile('old.ts', 'x\n')])
  const after = aSnapshot([kept, aFile('a.ts', 'one\n2\nthree\n'), aFile('new.ts', 'y\nz\n')])
  const { state, files } = await sourceChanges(before, after, SHOWN)
  expect(state).toBe('compared')
  expect(files.map(({ path, kind, added, removed }) => [path, kind, added, removed])).toEqual([
    ['a.ts', 'changed', 1, 1],
    ['new.ts', 'added', 2, 0],
    ['old.ts', 'removed', 0, 1],
  ])
  expect(files[0]?.patch).toBe('@@ -1,3 +1,3 @@\n one\n-two\n+2\n three')
})

it('says that nothing changed', async () => {
  const same = aSnapshot([aFile('a.ts', 'one\n')])
  expect(await sourceChanges(same, same, SHOWN)).toMatchObject({
    state: 'same',
    files: [],
    packages: [],
  })
})

it('shows no lines to callers who may not deploy, nor of binary files', async () => {
  const before = aSnapshot([aFile('a.ts', 'one\n'), aFile('a.png', 'x', false)])
  const after = aSnapshot([aFile('a.ts', 'two\n'), aFile('a.png', 'yy', false)])
  expect((await sourceChanges(before, after, { isTextShown: false })).files).toMatchObject([
    { path: 'a.png', before_bytes: 1, after_bytes: 2, added: null, patch: null },
    { path: 'a.ts', added: 1, removed: 1, patch: null },
  ])
})

it('shows a lock file as packages with their versions', async () => {
  const locked = (packages: Record<string, string[]>) =>
    aSnapshot([], { packages: { 'package-lock.json': packages } })
  const before = locked({ same: ['1.0.0'], up: ['1.0.0', '2.0.0'], gone: ['3.0.0'] })
  const after = locked({ same: ['1.0.0'], up: ['1.0.0', '2.1.0'], made: ['0.1.0'] })
  expect((await sourceChanges(before, after, SHOWN)).packages).toEqual([
    { lock_file: 'package-lock.json', name: 'gone', before: ['3.0.0'], after: [] },
    { lock_file: 'package-lock.json', name: 'made', before: [], after: ['0.1.0'] },
    {
      lock_file: 'package-lock.json',
      name: 'up',
      before: ['1.0.0', '2.0.0'],
      after: ['1.0.0', '2.1.0'],
    },
  ])
})

it('is bounded: by files, by packages, by lines, and by all patches together', async () => {
  const many = (count: number, content: string) =>
    Array.from({ length: count }, (_, i) => aFile(`${String(i).padStart(4, '0')}.ts`, content))
  const long = `${'x'.repeat(60)}\n`.repeat(100)
  const packages = Object.fromEntries(many(600, '').map(({ path }) => [path, ['1']]))
  const after = aSnapshot(many(400, long), { packages: { 'uv.lock': packages } })
  const found = await sourceChanges(aSnapshot([]), after, SHOWN)
  expect(found).toMatchObject({ left_out: 200 })
  expect([found.files.length, found.packages.length]).toEqual([300, 500])
  const patches = found.files.flatMap(({ patch }) => patch ?? [])
  expect(patches.join('').length).toBeLessThanOrEqual(256 * 1024)
  expect(patches.length).toBeGreaterThan(20)

  const lines = (prefix: string) =>
    Array.from({ length: 5000 }, (_, i) => `${prefix}${i}\n`).join('')
  const rewritten = await sourceChanges(
    aSnapshot([aFile('a.ts', lines('a'))]),
    aSnapshot([aFile('a.ts', lines('b'))]),
    SHOWN,
  )
  expect(rewritten.files).toMatchObject([{ path: 'a.ts', added: null, patch: null }])
})

it('takes no file for removed that was only left out', async () => {
  const before = aSnapshot([aFile('a.ts', 'one\n'), aFile('b.ts', 'x\n')])
  const after = aSnapshot([aFile('a.ts', 'two\n')], { left_out: 3 })
  expect((await sourceChanges(before, after, SHOWN)).files.map(({ path }) => path)).toEqual([
    'a.ts',
  ])
})

it('does not take sources for the same when files were left out', async () => {
  const whole = aSnapshot([aFile('a.ts', 'one\n')])
  const found = await sourceChanges(whole, { ...whole, left_out: 3 }, SHOWN)
  expect(found).toMatchObject({ state: 'unknown', files: [] })
})

it('lets other requests come between two files', async () => {
  const many = (content: string) =>
    aSnapshot(Array.from({ length: 10 }, (_, i) => aFile(`${i}.ts`, content)))
  let others = 0
  const other = setImmediate(() => others++)
  await sourceChanges(many('one\n'), many('two\n'), SHOWN)
  clearImmediate(other)
  expect(others).toBe(1)
})
