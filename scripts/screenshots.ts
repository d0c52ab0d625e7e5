/**
 * `npm run screenshots [-- NAME…]`: takes pictures of every page and dialog of the dashboard, or of those whose
 * name contains NAME, in both themes, wide and as narrow as a phone, into `screenshots/`. It starts a Runyard
 * of its own and fills it first. Errors on a page are printed, and make it fail. `--docs`: takes the eight
 * small pictures of `docs/dashboard.md` instead.
 */
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { startDashboard } from '../test/support/dashboard/dashboard.ts'
import { DASHBOARD_PAGES, DASHBOARD_VIEWS } from '../test/support/dashboard/dashboard-pages.ts'
import type { DashboardVisitor } from '../test/support/dashboard/dashboard-visitor.ts'
import { type LivedIn, liveIn } from '../test/support/dashboard/lived-in.ts'

/** Time limit for everything, in ms. */
const LIMIT_MS = 15 * 60_000

const folder = resolve(import.meta.dirname, '../screenshots')
const docs = resolve(import.meta.dirname, '../docs/pictures')
/** The theme of each picture in the docs, by page. */
const IN_DOCS: Readonly<Record<string, 'light' | 'dark'>> = {
  home: 'light',
  overview: 'light',
  revision: 'dark',
  studio: 'light',
  threads: 'light',
  run: 'dark',
  operations: 'dark',
  'settings-audit': 'light',
}
const isForDocs = process.argv.includes('--docs')
const names = process.argv.slice(2).filter((name) => name !== '--docs')
type Taken = (typeof DASHBOARD_VIEWS)[number]
const all: readonly Taken[] = [...DASHBOARD_PAGES, ...DASHBOARD_VIEWS]
const wanted = all.filter(({ name }) =>
  isForDocs ? name in IN_DOCS : names.length === 0 || names.some((part) => name.includes(part)),
)
setTimeout(() => {
  console.error(`screenshots: not done after ${LIMIT_MS / 60_000} minutes`)
  process.exit(1)
}, LIMIT_MS).unref()

if (names.length === 0 && !isForDocs) rmSync(folder, { recursive: true, force: true })
console.log('screenshots: filling a Runyard with something to see')
const dashboard = await startDashboard()
try {
  const at = await liveIn(dashboard)
  const visitor = await dashboard.visitor()
  await visitor.open('/')
  for (const page of wanted) await take(visitor, page, at)
} finally {
  await dashboard.stop()
}
console.log(`screenshots: ${wanted.length} pages are in ${isForDocs ? docs : folder}`)
process.exit()

async function take(
  visitor: DashboardVisitor,
  { name, path, open }: Taken,
  at: LivedIn,
): Promise<void> {
  const page = await visitor.open(path(at))
  await visitor.settled()
  if (open) {
    await open(page)
    await visitor.settled()
  }
  const theme = IN_DOCS[name]
  if (isForDocs && theme) await visitor.smallPicture(resolve(docs, `${name}.webp`), theme)
  else await visitor.pictures(name, folder)
  for (const problem of visitor.problems.splice(0)) {
    console.error(`screenshots: ${name}: ${problem}`)
    process.exitCode = 1
  }
  console.log(`screenshots: ${name}`)
}
