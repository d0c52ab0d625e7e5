/** What a browser loads before the first page of the dashboard is drawn. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { builtDashboard } from '../support/dashboard/dashboard-build.ts'

const MOST_BYTES = 250_000
/** `import{a}from"./b.js"` and `import"./b.js"`; those in brackets are loaded later. */
const STATIC = /(?:^|[;}])import(?:[^"'()]*from)?["'](\.[^"']+)["']/g
const ENTRY = /<(?:script|link)[^>]*(?:src|href)="([^"]+\.js)"/g

test('the shell needs at most 250 kB of compressed script', async () => {
  const folder = await builtDashboard()
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  const entries = [...page.matchAll(ENTRY)].map(([, file = '']) => join(folder, file))
  expect(entries.length).toBeGreaterThan(0)
  const loaded = new Set<string>()
  for (const file of entries) follow(file, loaded)
  const bytes = [...loaded].reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES)
})

function follow(file: string, loaded: Set<string>): void {
  if (loaded.has(file)) return
  loaded.add(file)
  for (const [, next = ''] of readFileSync(file, 'utf8').matchAll(STATIC)) {
    follow(join(dirname(file), next), loaded)
  }
}
