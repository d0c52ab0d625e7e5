import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createDashboard, type DashboardOptions } from './app.ts'

const PAGE = `<base href="%RUNYARD_BASE%" /><meta name="runyard-mode" content="%RUNYARD_MODE%" />
<meta property="csp-nonce" nonce="%RUNYARD_NONCE%" /><script src="./assets/main-1.js"></script>`
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let parent: string
let folder: string
beforeEach(() => {
  parent = temporaryFolder()
  folder = join(parent, 'dist')
  writeFileSync(join(parent, 'secret'), 'secret')
  write()
})

function write(): void {
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), PAGE)
  writeFileSync(join(folder, 'icon.svg'), '<svg/>')
  writeFileSync(join(folder, 'assets/main-1.js'), 'main()')
  writeFileSync(join(folder, 'assets/main-1.js.gz'), gzipSync('main()'))
}

function ask(
  path: string,
  headers: Record<string, string> = {},
  change: Partial<DashboardOptions> = {},
) {
  const answer = createDashboard({
    folder,
    mode: 'control-plane',
    mount: '',
    apiPaths: ['/v2', '/agents', '/docs'],
    absence: () => 'building',
    ...change,
  })
  return answer(new Request(`http://127.0.0.1${path}`, { headers }))
}

it('answers the page at every address of its own, with a nonce that is never the same', async () => {
  const nonces = new Set<string>()
  for (const path of ['/', '/deployments/1?tab=logs', '/v2x', '/settings/keys']) {
    const answer = await ask(path, html)
    const text = (await answer?.text()) ?? ''
    const nonce = /nonce="([\w-]{22})"/.exec(text)?.[1] ?? ''
    expect(text).toContain('<base href="/" /><meta name="runyard-mode" content="control-plane" />')
    const policy = answer?.headers.get('content-security-policy') ?? ''
    expect(policy).toContain(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'`,
    )
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    nonces.add(nonce)
  }
  expect(nonces.size).toBe(4)
  const headers = Object.fromEntries((await ask('/'))?.headers ?? [])
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
  })
})

it('answers the document of components without an origin, and able to reach nothing', async () => {
  writeFileSync(join(folder, 'component-frame.html'), '<script>show()</script>')
  const policy = (await ask('/component-frame.html'))?.headers.get('content-security-policy')
  expect(policy?.split('; ').slice(0, 2)).toEqual(['sandbox allow-scripts', "default-src 'none'"])
  expect(policy).toContain("frame-ancestors 'self'")
  expect(policy).not.toMatch(/allow-same-origin|connect-src|https?:/)
  expect((await ask('/icon.svg'))?.headers.get('content-security-policy')).toBeNull()
})

it('leaves what is the API’s, and what is no page, to others', async () => {
  for (const path of ['/v2/nothing', '/v2', '/agents/x/docs', '/docs']) {
    expect(await ask(path, html)).toBeUndefined()
  }
  expect(await ask('/deployments', { accept: 'application/json' })).toBeUndefined()
  expect(await ask('/assets/main-0.js', html)).toBeUndefined()
  const post = new Request('http://127.0.0.1/', { method: 'POST', headers: html })
  const options = { folder, mount: '', apiPaths: [], absence: () => 'missing' as const }
  expect(await createDashboard({ ...options, mode: 'control-plane' })(post)).toBeUndefined()
})

it('answers files compressed as the browser takes them, once for ever', async () => {
  const plain = await ask('/assets/main-1.js')
  expect(await plain?.text()).toBe('main()')
  expect(Object.fromEntries(plain?.headers ?? [])).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
  })
  const packed = await ask('/assets/main-1.js', { 'accept-encoding': 'br;q=0, gzip, deflate' })
  expect(packed?.headers.get('content-encoding')).toBe('gzip')
  expect(Buffer.from(new Uint8Array((await packed?.arrayBuffer()) ?? []))).toEqual(
    gzipSync('main()'),
  )
  expect(packed?.headers.get('etag')).not.toBe(plain?.headers.get('etag'))
  const none = await ask('/assets/main-1.js', { 'accept-encoding': 'gzip;q=0' })
  expect(none?.headers.has('content-encoding')).toBe(false)

  const etag = plain?.headers.get('etag') ?? ''
  const known = await ask('/assets/main-1.js', { 'if-none-match': `"other", W/${etag}` })
  expect([known?.status, await known?.text()]).toEqual([304, ''])
  expect((await ask('/icon.svg'))?.headers.get('cache-control')).toContain('must-revalidate')
})

it('opens no file that was not built, however the path is written', async () => {
  const tricks = [
    '/../secret',
    '/%2e%2e/secret',
    '/assets/..%2f..%2fsecret',
    '/..%5csecret',
    '//secret',
    '/index%2ehtml',
    '/INDEX.html',
    '/assets/main-1.js%2egz',
  ]
  for (const path of [...tricks, '/assets/', '/assets', '/index.html', '/assets/main-1.js.gz']) {
    const text = (await (await ask(path))?.text()) ?? ''
    expect(text).not.toContain('secret')
    expect([path, text.startsWith('<base')]).toEqual([path, false])
  }
})

it('lies below another path, and behind a proxy that has taken a part off', async () => {
  const studio = {
    mode: 'agent-server' as const,
    mount: '/studio',
    prefixOf: (headers: Headers) => headers.get('x-forwarded-prefix') ?? '',
  }
  const page = await ask('/studio', { 'x-forwarded-prefix': '/mine' }, studio)
  expect(await page?.text()).toContain(
    '<base href="/mine/studio/" /><meta name="runyard-mode" content="agent-server" />',
  )
  expect(await (await ask('/studio/assets/main-1.js', {}, studio))?.text()).toBe('main()')
  expect((await ask('/studio/threads', html, studio))?.status).toBe(200)
  expect(await ask('/threads', html, studio)).toBeUndefined()
  expect(await ask('/studios', html, studio)).toBeUndefined()
})

it('leads from the address that the official CLI prints to the deployment', async () => {
  const answer = await ask('/o/tenant-1/host/deployments/0b1c-2', html)
  expect([answer?.status, answer?.headers.get('location')]).toEqual([302, '/deployments/0b1c-2'])
})

it('says so while nothing is built, and takes what is built later', async () => {
  rmSync(folder, { recursive: true })
  const absent = await ask('/', html)
  expect([absent?.status, absent?.headers.get('retry-after')]).toEqual([503, '2'])
  const text = (await absent?.text()) ?? ''
  expect(text).toContain('being built')
  const [, nonce] = /<script nonce="([\w-]{22})">/.exec(text) ?? []
  const policy = absent?.headers.get('content-security-policy')
  expect(policy).toContain(`script-src 'nonce-${nonce}';`)
  const failed = await ask('/', html, { absence: () => 'failed' })
  expect(await failed?.text()).toContain('could not be built')

  write()
  const answer = createDashboard({
    ...{ folder, mode: 'control-plane', mount: '', apiPaths: [], absence: () => 'missing' },
  })
  const at = (path: string) => answer(new Request(`http://127.0.0.1${path}`, { headers: html }))
  expect((await at('/assets/main-1.js'))?.status).toBe(200)
  rmSync(join(folder, 'assets/main-1.js'))
  writeFileSync(join(folder, 'assets/main-2.js'), 'other()')
  utimesSync(join(folder, 'index.html'), new Date(), new Date(Date.now() + 5_000))
  expect(await (await at('/assets/main-2.js'))?.text()).toBe('other()')
  expect(await at('/assets/main-1.js')).toBeUndefined()
})
