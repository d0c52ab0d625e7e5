import { expect, it, test, vi } from 'vitest'
import { addCommonRefusals, docsRoutes, documentRoutes } from './docs.ts'

it('serves a page whose files are all its own and relative', async () => {
  const app = docsRoutes('A title')
  const page = await (await app.request('/docs')).text()
  const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '')
  expect(links).toEqual(['docs/swagger-ui.css', 'openapi.json', 'docs/swagger-ui-bundle.js'])
  const files = links.filter((link) => link.startsWith('docs/'))
  for (const link of files) expect((await app.request(`/${link}`)).status).toBe(200)
  const head = await app.request(`/${files[0]}`, { method: 'HEAD' })
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(1000)
})

it('makes the document again after a failure', async () => {
  const describe = vi.fn((): object => ({}))
  describe.mockImplementationOnce(() => {
    throw new Error('not yet')
  })
  const app = documentRoutes(describe)
  expect((await app.request('/openapi.json')).status).toBe(500)
  expect((await app.request('/openapi.json')).status).toBe(200)
})

it('makes the document once, and sends nothing to a client that has it', async () => {
  const describe = vi.fn(() => ({ openapi: '3.1.0' }))
  const app = documentRoutes(describe)
  const first = await app.request('/openapi.json')
  expect(await first.json()).toEqual({ openapi: '3.1.0' })
  const etag = first.headers.get('etag') ?? ''
  const ask = (one: string) =>
    app.request('/openapi.json', { headers: { 'if-none-match': `"other", ${one}` } })
  const known = await ask(`W/${etag}`)
  expect([known.status, await known.text(), known.headers.get('etag')]).toEqual([304, '', etag])
  expect((await ask('"another"')).status).toBe(200)
  expect(describe).toHaveBeenCalledTimes(1)
})

/** The statuses in the document for an operation like this. */
function statuses(operation: object): string[] {
  const document = addCommonRefusals({
    openapi: '3.1.0',
    info: { title: 'x', version: '0' },
    security: [{ Key: [] }],
    paths: { '/things': { post: { responses: { 200: { description: 'x' } }, ...operation } } },
  })
  return Object.keys(document.paths?.['/things']?.post?.responses ?? {})
}

test('an operation may be refused for want of credentials, and for its body', () => {
  expect(statuses({})).toEqual(['200', '401', '403'])
  const withBody = statuses({ requestBody: { content: {} } })
  expect(withBody).toEqual(['200', '400', '401', '403', '413', '415'])
})

test('an open operation needs no credentials', () => {
  expect(statuses({ security: [] })).toEqual(['200'])
})

test('what a route says itself stays', () => {
  const own = { description: 'Not for viewers' }
  const document = addCommonRefusals({
    openapi: '3.1.0',
    info: { title: 'x', version: '0' },
    paths: { '/things': { get: { security: [{ Key: [] }], responses: { 403: own } } } },
  })
  expect(document.paths?.['/things']?.get?.responses?.['403']).toEqual(own)
})
