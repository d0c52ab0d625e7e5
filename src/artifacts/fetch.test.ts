import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { unpackOwn } from './archive/unpack-own.ts'
import { type FetchOrder, fetchArtifact } from './fetch.ts'
import { packFolder } from './pack.ts'
import { writePieces } from './pieces.ts'

let dir: string
let server: Server | undefined
const said: string[] = []
beforeEach(() => {
  dir = temporaryFolder()
  said.length = 0
})
afterEach(async () => {
  server?.closeAllConnections()
  server?.close()
})

const into = () => join(dir, 'project')
const signal = new AbortController().signal
const say = (line: string) => said.push(line)

async function project(): Promise<string> {
  const root = join(dir, 'built')
  await mkdir(join(root, 'node_modules/.bin'), { recursive: true })
  await mkdir(join(root, 'node_modules/tool'))
  await writeFile(join(root, 'langgraph.json'), '{}')
  await writeFile(join(root, 'node_modules/tool/run.js'), 'run')
  await chmod(join(root, 'node_modules/tool/run.js'), 0o755)
  await symlink('../tool/run.js', join(root, 'node_modules/.bin/tool'))
  return root
}

async function packed(root: string, bundle: string | null = null) {
  const file = join(dir, 'packed.tar.gz')
  const { digest } = await packFolder(root, file, { bundle })
  return { digest, content: await readFile(file) }
}

/** Files and links, each by its way from the folder, sorted. */
async function filesIn(folder: string): Promise<string[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = all.filter((entry) => !entry.isDirectory())
  return files.map((entry) => relative(folder, join(entry.parentPath, entry.name))).toSorted()
}

async function serving(answer: RequestListener): Promise<string> {
  server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/it?signature=secret`
}

const fetchIt = (order: Omit<FetchOrder, 'into'>, path = '/nowhere') =>
  fetchArtifact({ ...order, into: into() }, { signal, say, path, backOffMs: 1 })

describe('what was packed', () => {
  it('is there again, with its links and permissions', async () => {
    const { digest, content } = await packed(await project())
    await fetchIt({ urls: [await serving((_, answer) => answer.end(content))], digest })
    expect(await readFile(join(into(), 'langgraph.json'), 'utf8')).toBe('{}')
    expect(await readlink(join(into(), 'node_modules/.bin/tool'))).toBe('../tool/run.js')
    expect((await stat(join(into(), 'node_modules/.bin/tool'))).mode & 0o111).not.toBe(0)
    expect((await readdir(into())).toSorted()).toEqual([
      '.runyard-artifact',
      'langgraph.json',
      'node_modules',
    ])
  })

  it('has no source maps of packages, but that of the bundle', async () => {
    const root = await project()
    await mkdir(join(root, 'node_modules/.runyard'))
    for (const name of [
      'node_modules/tool/run.js.map',
      'node_modules/.runyard/bundle.mjs.map',
      'own.map',
    ])
      await writeFile(join(root, name), '{}')
    const { digest, content } = await packed(root)
    await fetchIt({ urls: [await serving((_, answer) => answer.end(content))], digest })
    const all = await readdir(into(), { recursive: true })
    expect(all.filter((name) => name.endsWith('.map')).toSorted()).toEqual([
      'node_modules/.runyard/bundle.mjs.map',
      'own.map',
    ])
  })

  it('has of the packages in a bundle nothing but what stays outside of it, and all of it packed once more', async () => {
    const root = await project()
    const bundle = 'node_modules/.runyard/bundle.mjs'
    const files = [
      bundle,
      'src/graph.ts',
      'node_modules/native/built.node',
      'node_modules/native/node_modules/deep/index.js',
      'packages/own/node_modules/tool/index.js',
      'packages/own/index.js',
    ]
    for (const name of files) {
      await mkdir(join(root, name, '..'), { recursive: true })
      await writeFile(join(root, name), name)
    }
    const link = 'node_modules/@acme/native'
    await mkdir(join(root, 'node_modules/@acme'))
    await symlink('../native', join(root, link))
    await symlink('../tool', join(root, 'node_modules/@acme/tool'))
    await writePieces(join(root, bundle), [join(root, 'node_modules/native')])
    const { digest, content } = await packed(root, bundle)
    await fetchIt({ urls: [await serving((_, answer) => answer.end(content))], digest })
    const whole = 'node_modules/.runyard/whole.tar.gz'
    expect(await filesIn(into())).toEqual(
      [
        ...['.runyard-artifact', 'langgraph.json', link, whole],
        'node_modules/.runyard/outside.json',
        ...files.filter((name) => !name.includes('tool')),
      ].toSorted(),
    )
    expect((await stat(join(into(), whole))).mode & 0o777).toBe(0o644)
    await unpackOwn(join(into(), whole), join(dir, 'whole'), { path: '/usr/bin:/bin', signal })
    expect(await filesIn(join(dir, 'whole'))).toEqual(await filesIn(root))
  })

  it('is in one piece where the packages are needed, or nothing says that they are not', async () => {
    const root = await project()
    const bundle = join(root, 'node_modules/.runyard/bundle.mjs')
    await mkdir(join(bundle, '..'))
    await writePieces(bundle, [])
    await writePieces(bundle, undefined)
    const { digest, content } = await packed(root, 'node_modules/.runyard/bundle.mjs')
    await fetchIt({ urls: [await serving((_, answer) => answer.end(content))], digest })
    expect(await filesIn(into())).toEqual(['.runyard-artifact', ...(await filesIn(root))])
  })

  it.each(['/usr/bin:/bin', '/nowhere'])('is unpacked with the PATH %s', async (path) => {
    const { digest, content } = await packed(await project())
    const url = await serving((_, answer) => answer.end(content))
    await fetchIt({ urls: [url], digest }, path)
    expect(await readFile(join(into(), 'node_modules/.bin/tool'), 'utf8')).toBe('run')
    expect((await stat(join(into(), 'node_modules/tool/run.js'))).mode & 0o777).toBe(0o755)
  })

  it.each([
    ['a relative folder', 0o755, (bin: string) => relative(process.cwd(), bin)],
    ['one that cannot be executed', 0o644, (bin: string) => bin],
  ])('is unpacked without a tar program of %s', async (_, mode, pathOf) => {
    const bin = join(dir, 'bin')
    await mkdir(bin)
    await writeFile(join(bin, 'tar'), '#!/bin/sh\nexit 1\n', { mode })
    const { digest, content } = await packed(await project())
    const url = await serving((_, answer) => answer.end(content))
    await fetchIt({ urls: [url], digest }, pathOf(bin))
    expect(await readFile(join(into(), 'node_modules/.bin/tool'), 'utf8')).toBe('run')
  })

  it('has links that work wherever it lies, and none that lead out of it', async () => {
    const root = await project()
    await symlink(join(root, 'langgraph.json'), join(root, 'node_modules/own'))
    await symlink('/etc/passwd', join(root, 'absolute'))
    await symlink('../../..', join(root, 'node_modules/up'))
    const { digest, content } = await packed(root)
    await fetchIt({ urls: [await serving((_, answer) => answer.end(content))], digest })
    expect(await readlink(join(into(), 'node_modules/own'))).toBe('../langgraph.json')
    expect(await readdir(into())).not.toContain('absolute')
    expect(await readdir(join(into(), 'node_modules'))).not.toContain('up')
  })

  it('is fetched once, also after a start anew', async () => {
    const { digest, content } = await packed(await project())
    let asked = 0
    const url = await serving((_, answer) => {
      asked += 1
      answer.end(content)
    })
    for (let i = 0; i < 2; i += 1) await fetchIt({ urls: [url], digest })
    expect(asked).toBe(1)
  })

  it('replaces what one that was killed has left, and an earlier one', async () => {
    const { digest, content } = await packed(await project())
    const url = await serving((_, answer) => answer.end(content))
    await mkdir(join(into(), '.runyard-part/tree'), { recursive: true })
    await writeFile(join(into(), 'half'), 'moved')
    await fetchIt({ urls: [url], digest })
    expect(await readdir(into())).not.toContain('half')
    await writeFile(join(into(), '.runyard-artifact'), 'another')
    await writeFile(join(into(), 'old'), 'of another')
    await fetchIt({ urls: [url], digest })
    expect(await readdir(into())).not.toContain('old')
  })

  it('does not touch a folder that is somebody’s', async () => {
    await mkdir(into())
    await writeFile(join(into(), 'letter'), 'mine')
    const order = { urls: ['http://127.0.0.1:1/'], digest: 'x' }
    await expect(fetchIt(order)).rejects.toMatchObject({ code: 'conflict' })
    expect(await readdir(into())).toEqual(['letter'])
  })
})

describe('fetching', () => {
  it('tries again where the address is away, cut off or wrong, and then the next', async () => {
    const { digest, content } = await packed(await project())
    let asked = 0
    const url = await serving((_, answer) => {
      asked += 1
      if (asked === 1) answer.writeHead(503).end()
      else if (asked === 2) answer.destroy()
      else if (asked === 3) {
        answer.writeHead(200, { 'content-length': content.length }).write(content.subarray(0, 9))
        setImmediate(() => answer.destroy())
      } else if (asked === 4) answer.end('something else')
      else answer.end(content)
    })
    await fetchIt({ urls: ['http://127.0.0.1:1/away', url], digest })
    expect(asked).toBe(5)
    expect(said.join('\n')).not.toContain('secret')
  })

  it('does not try again what is refused', async () => {
    let asked = 0
    const url = await serving((_, answer) => {
      asked += 1
      answer.writeHead(403).end()
    })
    const refused = await fetchIt({ urls: [url], digest: 'x' }).catch((error: Error) => error)
    expect(refused).toMatchObject({ code: 'bad_request' })
    expect(String(refused)).toContain('403')
    expect(String(refused)).not.toContain('secret')
    expect(asked).toBe(1)
  })

  it('gives up in the end, and says what it got', async () => {
    const url = await serving((_, answer) => answer.end('something else'))
    const order = { urls: [url], digest: createHash('sha256').digest('hex') }
    await expect(fetchIt(order)).rejects.toMatchObject({ code: 'unavailable' })
    expect(await readdir(into())).toEqual(['.runyard-part'])
  })
})

describe('an environment of Python', () => {
  /** As uv makes it: relocatable, with a link to this machine's interpreter. */
  async function environment(version: string): Promise<string> {
    const root = await project()
    await mkdir(join(root, '.venv/bin'), { recursive: true })
    await mkdir(join(root, `.venv/lib/python${version}/site-packages`), { recursive: true })
    await symlink('/gone/bin/python3', join(root, '.venv/bin/python'))
    await symlink('python', join(root, '.venv/bin/python3'))
    await writeFile(join(root, '.venv/pyvenv.cfg'), 'home = /gone/bin\nuv = 0.13\n')
    return root
  }

  it('leads to a Python of the same version here', async () => {
    const { digest, content } = await packed(await environment('3.99'))
    const bin = join(dir, 'bin')
    await mkdir(bin)
    const program = join(dir, 'real/bin/python3.99')
    await mkdir(join(dir, 'real/bin'), { recursive: true })
    await writeFile(program, '#!/bin/sh\necho it runs\n', { mode: 0o755 })
    // As pyenv's: it is no interpreter, but knows where one is.
    await writeFile(join(bin, 'python3.99'), `#!/bin/sh\necho ${program}\n`, { mode: 0o755 })
    await fetchIt({ urls: [await serving((_, answer) => answer.end(content))], digest }, bin)
    const run = spawnSync(join(into(), '.venv/bin/python3'), { encoding: 'utf8' })
    expect(run.stdout).toBe('it runs\n')
    const settings = await readFile(join(into(), '.venv/pyvenv.cfg'), 'utf8')
    expect(settings).toBe(`home = ${join(dir, 'real/bin')}\nuv = 0.13\n`)
  })

  it('is refused with what is missing where there is none', async () => {
    const { digest, content } = await packed(await environment('3.99'))
    const order = { urls: [await serving((_, answer) => answer.end(content))], digest }
    const refused = await fetchIt(order).catch((error: Error) => error)
    expect(refused).toMatchObject({ code: 'conflict' })
    expect(String(refused)).toContain('Python 3.99')
  })
})
