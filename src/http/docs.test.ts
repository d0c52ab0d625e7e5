import { expect, it } from 'vitest'
import { docsRoutes } from './docs.ts'

it('serves a page whose files are all its own and relative', async () => {
  const app = docsRoutes('A title')
  const page = await (await app.request('/docs')).text()
  const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '')
  expect(links).toEqual(['docs/swagger-ui.css', 'docs/swagger-ui-bundle.js'])
  for (const link of links) expect((await app.request(`/${link}`)).status).toBe(200)
})
