import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { revisionFolder } from '../layout.ts'
import { readLockedPackages } from './locked-packages.ts'
import { createSourceSnapshots, writeSnapshot } from './snapshot.ts'

let dir: string
let source: string
beforeEach(() => {
  dir = temporaryFolder()
  source = revisionFolder(dir, 'one').source
})

async function put(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(join(source, path)), { recursive: true })
  await writeFile(join(source, path), content)
}

async function noted() {
  await writeSnapshot(dir, 'one', { source, commit: null })
  return createSourceSnapshots(dir).read('one')
}

it('keeps the texts of a source, and of others only size and digest', async () => {
  await put('src/agent.ts', 'export const graph = 1\n')
  await put('logo.png', Buffer.from([0x89, 0x50, 0, 1]))
  await put('latin.txt', Buffer.from([0xe9, 0x0a]))
  await put('large.json', 'x'.repeat(200_000))
  for (const path of ['.env', 'prod.env', '.env.local', 'certs/server.KEY', '.npmrc']) {
    await put(path, 'TOKEN=sk-secret\n')
  }
  await put('node_modules/x/index.js', 'x\n')
  await put('package-lock.json', '{"packages": {"node_modules/x": {"version": "1.0.0"}}}')
  await symlink('/etc/passwd', join(source, 'linked'))
  const snapshot = await noted()
  expect(snapshot?.files.map(({ path, text }) => [path, text])).toEqual([
    ['.env', null],
    ['.env.local', null],
    ['.npmrc', null],
    ['certs/server.KEY', null],
    ['large.json', null],
    ['latin.txt', null],
    ['logo.png', null],
    ['package-lock.json', null],
    ['prod.env', null],
    ['src/agent.ts', 'export const graph = 1\n'],
  ])
  expect(snapshot?.files[4]).toMatchObject({
    bytes: 200_000,
    digest: expect.stringMatching(/^\w{64}$/),
  })
  expect(snapshot?.packages).toEqual({ 'package-lock.json': { x: ['1.0.0'] } })
  expect(JSON.stringify(snapshot)).not.toContain('sk-secret')
})

it('keeps some texts of a source with very many, and says how many files it left out', async () => {
  await mkdir(source, { recursive: true })
  const big = 'x'.repeat(100_000)
  for (let i = 0; i < 60; i++) await put(`big/${String(i).padStart(2, '0')}.txt`, big)
  await put('many/0.txt', 'x')
  const many = Array.from({ length: 4999 }, (_, i) => join(source, `many/${i + 1}.txt`))
  await Promise.all(many.map((path) => writeFile(path, 'x')))
  const snapshot = await noted()
  expect(snapshot).toMatchObject({ left_out: 60 })
  const texts = snapshot?.files.flatMap(({ text }) => text ?? []).join('')
  expect(texts?.length).toBeLessThanOrEqual(4 * 1024 * 1024)
})

it('takes names for file names that every object has', async () => {
  const names = ['__proto__', 'constructor', 'hasOwnProperty']
  for (const name of names) await put(name, 'x')
  expect((await noted())?.files.map(({ path, text }) => [path, text])).toEqual(
    names.map((name) => [name, 'x']),
  )
})

it('notes the packages of a lock file that is no text to keep, and only the digest of a huge one', async () => {
  const lock = (padding: number) =>
    JSON.stringify({ packages: { 'node_modules/x': { version: '1.0.0' } }, x: 'x'.repeat(padding) })
  await put('package-lock.json', lock(200_000))
  await put('huge/package-lock.json', lock(4 * 1024 * 1024))
  const snapshot = await noted()
  expect(snapshot?.packages).toEqual({ 'package-lock.json': { x: ['1.0.0'] } })
  expect(snapshot?.files).toMatchObject([
    { path: 'huge/package-lock.json', digest: expect.stringMatching(/^\w{64}$/), text: null },
    { path: 'package-lock.json', digest: expect.stringMatching(/^\w{64}$/), text: null },
  ])
})

it('is absent where nothing was fetched, or the file is cut off', async () => {
  expect(await createSourceSnapshots(dir).read('two')).toBeUndefined()
  await put('a.ts', 'x\n')
  await noted()
  await writeFile(join(revisionFolder(dir, 'one').root, 'source.json.gz'), 'cut')
  expect(await createSourceSnapshots(dir).read('one')).toBeUndefined()
})

it.each([
  [
    'package-lock.json',
    '{"packages": {"": {"version": "1.0.0"}, "node_modules/a": {"version": "1.0.0"}, "lib": {"version": "3.0.0"}, "node_modules/lib": {"link": true}, "node_modules/b/node_modules/@s/a": {"version": "2.0.0"}}}',
    { a: ['1.0.0'], '@s/a': ['2.0.0'] },
  ],
  [
    'pnpm-lock.yaml',
    "packages:\n\n  '@s/a@2.0.0(b@1.0.0)':\n    x: y\n  a@1.0.0:\n",
    { '@s/a': ['2.0.0'], a: ['1.0.0'] },
  ],
  [
    'yarn.lock',
    '"@s/a@^2.0.0", "@s/a@~2.1.0":\n  version "2.1.0"\n\na@^1.0.0:\n  version: 1.0.0\n',
    { '@s/a': ['2.1.0'], a: ['1.0.0'] },
  ],
  [
    'bun.lock',
    '{"packages": {"a": ["a@1.0.0", "", {}], "@s/a": ["@s/a@2.0.0", {}]}}',
    { a: ['1.0.0'], '@s/a': ['2.0.0'] },
  ],
  [
    'uv.lock',
    '[[package]]\nname = "a"\nversion = "1.0.0"\n\n[[package]]\nname = "a"\nversion = "2.0.0"\n',
    { a: ['1.0.0', '2.0.0'] },
  ],
  ['package-lock.json', 'no JSON', {}],
  ['uv.lock', '= =', {}],
])('reads the packages of %s', (path, text, packages) => {
  expect(readLockedPackages(`apps/${path}`, text)).toEqual(packages)
})
