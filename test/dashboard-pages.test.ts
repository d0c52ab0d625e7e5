/** No page of the dashboard is left out where all of them are walked through. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { DASHBOARD_PAGES } from './support/dashboard/dashboard-pages.ts'

/** `page(deployment, 'revisions', …)`, over one line or several. */
const PAGE = /page\(\s*(\w+),\s*'([^']*)'/g
/** What the paths of a parent begin with. Those of a single agent server are the same pages. */
const PARENTS: Record<string, string> = {
  root: '',
  shell: '',
  deployment: '/deployments/$deployment',
  parent: '/deployments/$deployment',
}

test('the pages that pictures are taken of are those of the routes', () => {
  const file = resolve(import.meta.dirname, '../dashboard/src/routes.tsx')
  const routes = [...readFileSync(file, 'utf8').matchAll(PAGE)]
    .filter(([, parent = '']) => parent !== 'server')
    .map(([, parent = '', path = '']) => {
      const joined = `${PARENTS[parent]}/${path.replace(/^\//, '')}`
      return joined.length > 1 ? joined.replace(/\/$/, '') : joined
    })
  expect(routes.length).toBeGreaterThan(20)
  const walked = new Set(DASHBOARD_PAGES.map(({ route }) => route))
  expect([...walked].toSorted()).toEqual([...new Set(routes)].toSorted())
})
