import { expect, it } from 'vitest'
import { docsRoutes } from './docs.ts'

it('serves a page whose files are all its own and relative', async () => {
  const app = docsRoutes('A title')
  const page = await (await app.request('/docs')).text()
  const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '')
  expect(links).toEqual(['docs/swagger-ui.css', 'openapi.json', 'docs/swagger-ui-bundle.js'])
  const files = links.filter((link) => link.startsWith('docs/'))
  for (const link of files) expect((await app.request(`/${link}`)).status).toBe(200)
})
