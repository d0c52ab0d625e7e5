import { access, mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { create } from 'tar'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Entry, tar } from '../../../test/support/control-plane/hostile-tar.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { systemClock } from '../../core/clock.ts'
import { silentLog } from '../../core/log.ts'
import { openBuildLog } from '../build-log.ts'
import { DEFAULT_LIMITS, type StepContext } from '../step.ts'
import { unpackSource } from './fetch.ts'

let dir: string
let context: StepContext
beforeEach(() => {
  dir = temporaryFolder()
  const log = openBuildLog(join(dir, 'build.log'), systemClock, silentLog)
  context = { log, signal: new AbortController().signal, limits: DEFAULT_LIMITS, env: {} }
})
afterEach(async () => {
  await context.log.close()
})

async function unpack(bytes: Uint8Array): Promise<string> {
  await writeFile(join(dir, 'a.tar.gz'), bytes)
  await unpackSource(join(dir, 'a.tar.gz'), join(dir, 'out'), context)
  return join(dir, 'out')
}

async function refusal(bytes: Uint8Array): Promise<string> {
  const error = await unpack(bytes).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ name: 'BuildError', step: 'unpack' })
  return (error as Error).message
}

it('unpacks files, folders and the links between them', async () => {
  const source = join(dir, 'in')
  await mkdir(join(source, 'src'), { recursive: true })
  await writeFile(join(source, 'langgraph.json'), '{}')
  await writeFile(join(source, 'src/agent.ts'), 'export {}')
  const file = join(dir, 'made.tar.gz')
  await create({ gzip: true, cwd: source, file }, ['.'])
  const out = await unpack(await readFile(file))
  expect(await readFile(join(out, 'src/agent.ts'), 'utf8')).toBe('export {}')
  expect(await readFile(join(out, 'langgraph.json'), 'utf8')).toBe('{}')
})

it('keeps links that stay inside, and a top folder as it is', async () => {
  const out = await unpack(
    gzipSync(
      tar(
        { path: 'top/a', content: 'A' },
        { path: 'top/bin/b', type: 'SymbolicLink', linkpath: '../a' },
        { path: 'top/c', type: 'Link', linkpath: 'top/a' },
      ),
    ),
  )
  expect(await readlink(join(out, 'top/bin/b'))).toBe('../a')
  expect(await readFile(join(out, 'top/c'), 'utf8')).toBe('A')
})

it('refuses a tarball that goes away meanwhile', async () => {
  const unpacking = unpackSource(join(dir, 'gone.tar.gz'), join(dir, 'out'), context)
  await expect(unpacking).rejects.toMatchObject({ name: 'BuildError', step: 'unpack' })
})

describe('refuses, and leaves nothing behind, when', () => {
  afterEach(async () => {
    expect(await readdir(dir)).not.toContain('out')
    await expect(access(join(dir, 'evil'))).rejects.toThrow()
  })

  it.each([
    ['an entry climbs out', [{ path: '../evil', content: 'x' }], '"../evil"'],
    ['an entry climbs out midway', [{ path: 'a/../../evil' }], '"a/../../evil"'],
    ['an entry is absolute', [{ path: '/tmp/evil-entry' }], '"/tmp/evil-entry"'],
    ['a link climbs out', [{ path: 'l', type: 'SymbolicLink', linkpath: '../evil' }], '"../evil"'],
    ['a link is absolute', [{ path: 'l', type: 'SymbolicLink', linkpath: '/etc' }], '"/etc"'],
    ['a hard link climbs out', [{ path: 'l', type: 'Link', linkpath: '../evil' }], '"../evil"'],
    ['a hard link is absolute', [{ path: 'l', type: 'Link', linkpath: '/etc/passwd' }], '"l"'],
    ['there is a device', [{ path: 'null', type: 'CharacterDevice' }], 'CharacterDevice'],
    ['there is a fifo', [{ path: 'pipe', type: 'FIFO' }], 'FIFO'],
    [
      'a link goes up through another link',
      [
        { path: 'd/up', type: 'SymbolicLink', linkpath: '..' },
        { path: 'l', type: 'SymbolicLink', linkpath: 'd/up/../evil' },
      ],
      '"l"',
    ],
  ] as [string, Entry[], string][])('%s', async (_, entries, named) => {
    expect(await refusal(gzipSync(tar({ path: 'good', content: 'x' }, ...entries)))).toContain(
      named,
    )
  })

  it('it is no gzip file, or its end is missing', async () => {
    const bytes = gzipSync(tar({ path: 'a', content: 'x'.repeat(100_000) }))
    expect(await refusal(Buffer.from('hello'))).toContain('no sound .tar.gz')
    expect(await refusal(bytes.subarray(0, bytes.length - 20))).toContain('no sound .tar.gz')
  })

  it('it is a gzip file of something else', async () => {
    expect(await refusal(gzipSync('hello'))).toContain('no sound .tar.gz')
    expect(await refusal(gzipSync('hello '.repeat(1000)))).toContain('no sound .tar.gz')
  })

  it('a file in it is cut off', async () => {
    const bytes = tar({ path: 'a', content: 'x'.repeat(5000) })
    expect(await refusal(gzipSync(bytes.subarray(0, 3000)))).toContain('no sound .tar.gz')
  })

  it('it is empty', async () => {
    expect(await refusal(gzipSync(Buffer.alloc(1024)))).toContain('no sound .tar.gz')
  })

  it('it has too many entries', async () => {
    context = { ...context, limits: { ...DEFAULT_LIMITS, maxEntries: 2 } }
    const bytes = gzipSync(tar({ path: 'a' }, { path: 'b' }, { path: 'c' }))
    expect(await refusal(bytes)).toContain('more than 2 entries')
  })

  it('it unpacks to too much, by its files or by what is between them', async () => {
    context = { ...context, limits: { ...DEFAULT_LIMITS, maxEntries: 1, maxUnpackedBytes: 9000 } }
    const large = { path: 'a', content: 'x'.repeat(9001) }
    expect(await refusal(gzipSync(tar(large)))).toContain('more than 9000 bytes')
    const padded = Buffer.concat([tar({ path: 'a' }), Buffer.alloc(10_000_000)])
    expect(await refusal(gzipSync(padded))).toContain('more than 9000 bytes')
  })
})

it('does not write through a link that the tarball itself brings', async () => {
  const entries: Entry[] = [
    { path: 'real/file', content: 'kept' },
    { path: 'l', type: 'SymbolicLink', linkpath: 'real' },
    { path: 'l/file', content: 'changed' },
  ]
  await unpack(gzipSync(tar(...entries))).catch(() => {})
  expect(await readFile(join(dir, 'out/real/file'), 'utf8')).toBe('kept')
})

it('ends with the reason of the signal', async () => {
  context = { ...context, signal: AbortSignal.abort(new Error('not wanted any more')) }
  await expect(unpack(gzipSync(tar({ path: 'a' })))).rejects.toThrow('not wanted any more')
})
