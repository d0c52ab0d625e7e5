/** The dashboard's cost in the browser: a stream of tokens, and a long list of threads. */
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { startBrowser } from '../../test/support/dashboard/browser.ts'
import { builtDashboard } from '../../test/support/dashboard/dashboard-build.ts'
import { fill, fillThreads } from '../filled.ts'
import type { Row } from '../row.ts'
import { benchProject, startServer, temporaryFolder } from '../server.ts'
import { type Sized, sizedRow } from '../sized.ts'
import { type Traced, traced } from '../trace.ts'

const project = resolve(import.meta.dirname, '../../test/fixtures/projects/studio')

/** Sent at 1,000 a second. */
const TOKENS = 10_000
const IDLE_MS = 10_000
/** Milliseconds of a frame of 60 Hz. */
const FRAME_MS = 1_000 / 60

/** A graph streams 10,000 tokens at 1,000 a second to an open Studio, against an idle Studio. */
const streamRow: Row = {
  name: 'studio-stream',
  title: 'the Studio’s main thread, 1,000 tokens a second',
  unit: 'ms',
  pairs: 3,
  async open() {
    await builtDashboard()
    const data = await temporaryFolder()
    const server = await startServer(['serve', '--data-dir', data.path], { cwd: project })
    const browser = await startBrowser()
    const look = async (work: (page: Page) => Promise<unknown>) => {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
      try {
        await page.goto(`${server.url}/studio/studio/desk`)
        await say(page, 'warm')
        return told(await traced(browser, page, () => work(page)))
      } finally {
        await page.close()
      }
    }
    return {
      figure: () => look((page) => say(page, `fast to ${TOKENS}`)),
      floors: { 'an idle page': () => look((page) => page.waitForTimeout(IDLE_MS)) },
      async close() {
        await browser.close()
        await server.stop()
        await data.remove()
      },
    }
  },
}

/** Settles when the run is over and drawn. Does not query the page meanwhile, which would cost it time. */
async function say(page: Page, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  await field.fill(text)
  await field.press('Enter')
  const stop = page.getByRole('button', { name: 'Stop', exact: true })
  await stop.waitFor()
  const { origin, searchParams } = new URL(page.url())
  await untilIdle(`${origin}/threads/${searchParams.get('thread')}`)
  await stop.waitFor({ state: 'detached', timeout: 120_000 })
}

async function untilIdle(thread: string): Promise<void> {
  for (;;) {
    const { status } = (await (await fetch(thread)).json()) as { status: string }
    if (status !== 'busy') return
    await setTimeout(200)
  }
}

function told({ tookMs, longestMs, longestCpuMs, cpuMs, frames }: Traced) {
  const second = tookMs / 1_000
  return {
    'longest task': longestMs,
    'longest task, processor time': longestCpuMs,
    'busy in a second': cpuMs / second,
    'dropped frames in a second': (frames.dropped * FRAME_MS) / second,
  }
}

/** Only visible threads are requested and drawn, also after a jump to the last one. */
const threadsRow: Row = sizedRow({
  name: 'studio-threads',
  title: 'until rows are drawn in the list of threads',
  unit: 'threads',
  large: 100_000,
  small: 1_000,
  times: 5,
  open: openThreads,
})

async function openThreads(size: number): Promise<Sized> {
  await builtDashboard()
  const data = await temporaryFolder()
  await fill(join(data.path, 'agent.db'), (db) => fillThreads(db, size))
  const server = await startServer(['serve', '--data-dir', data.path], {
    cwd: benchProject('echo'),
  })
  const browser = await startBrowser()
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  const rows = page.getByRole('grid', { name: 'Threads' }).locator('[data-index]')
  const isDrawn = async (index: number) => {
    await page
      .locator(`[data-index="${index}"]`)
      .getByRole('link')
      .or(page.locator(`[data-index="${index}"] code`))
      .first()
      .waitFor()
    const drawn = await rows.count()
    if (drawn > 100) throw new Error(`${drawn} rows are drawn.`)
  }
  const open = async () => {
    await page.goto(`${server.url}/studio/threads`)
    await isDrawn(0)
  }
  const jump = async (index: number) => {
    await rows.first().evaluate((row, top) => {
      const frame = (row as unknown as { parentElement: { scrollTop: number } }).parentElement
      frame.scrollTop = top
    }, index * 36)
    await isDrawn(index)
  }
  await open()
  return {
    work: {
      opened: open,
      'in the middle': async () => {
        await jump(0)
        await jump(size / 2)
      },
      'at the end': async () => {
        await jump(0)
        await jump(size - 1)
      },
    },
    async close() {
      await browser.close()
      await server.stop()
      await data.remove()
    },
  }
}

export const studioRows: Row[] = [streamRow, threadsRow]
