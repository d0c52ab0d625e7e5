/** The dashboard's cost in the browser: a stream of tokens, a long conversation, and a long list of threads. */
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Browser, Locator, Page } from 'playwright-core'
import { startBrowser } from '../../test/support/dashboard/browser.ts'
import { builtDashboard } from '../../test/support/dashboard/dashboard-build.ts'
import { fill, fillThreads } from '../filled.ts'
import type { Row } from '../row.ts'
import { benchProject, startServer, temporaryFolder } from '../server.ts'
import { type Sized, sizedRow } from '../sized.ts'
import { type Traced, traced } from '../trace.ts'

const projects = resolve(import.meta.dirname, '../../test/fixtures/projects')
const project = join(projects, 'studio')

/** Sent at 1,000 a second. */
const TOKENS = 10_000
const IDLE_MS = 10_000
/** Milliseconds of a frame of 60 Hz. */
const FRAME_MS = 1_000 / 60

/** Of a long conversation. */
const MESSAGES = 500
/** Of the documents in the state beside it. */
const DOCUMENTS_BYTES = 4_800_000

/**
 * A graph streams 10,000 tokens at 1,000 a second to an open Studio, against an idle Studio. `messages`: of the
 * conversation before.
 */
const streamRow = (name: string, messages: number): Row => ({
  name,
  title: `the Studio’s main thread, 1,000 tokens a second, after ${messages} messages`,
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
        const said = messages > 0 ? { messages: messagesOf(messages) } : {}
        const thread = await startThread(server.url, 'desk', said)
        await page.goto(`${server.url}/studio/studio/desk?thread=${thread}`)
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
})

/** Opens the Studio on a conversation with a large state and many steps, against one of two messages. */
const longRow: Row = {
  name: 'studio-long',
  title: `the Studio opens with ${MESSAGES} messages and a state of 5 MB`,
  unit: (told) => (told === 'layout shift' ? '%' : 'ms'),
  pairs: 3,
  async open() {
    await builtDashboard()
    const data = await temporaryFolder()
    const cwd = join(projects, 'large')
    const server = await startServer(['serve', '--data-dir', data.path], { cwd })
    const long = await fillConversation(server.url, MESSAGES)
    const short = await fillConversation(server.url, 2)
    const browser = await startBrowser()
    await opened(browser, `${server.url}/studio/studio/archive?thread=${short}`)
    return {
      figure: () => opened(browser, `${server.url}/studio/studio/archive?thread=${long}`),
      floors: {
        'two messages': () =>
          opened(browser, `${server.url}/studio/studio/archive?thread=${short}`),
      },
      async close() {
        await browser.close()
        await server.stop()
        await data.remove()
      },
    }
  },
}

/** Milliseconds until each column is drawn, and what moved meanwhile. */
async function opened(browser: Browser, url: string) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  try {
    await page.addInitScript(`globalThis.shift = 0
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shift += value
      }).observe({ type: 'layout-shift', buffered: true })`)
    const drawn = { conversation: 0, state: 0, steps: 0 }
    const { longestMs, longestCpuMs } = await traced(browser, page, async () => {
      const begun = performance.now()
      const at = async (column: keyof typeof drawn, part: Locator) => {
        await part.waitFor({ timeout: 120_000 })
        drawn[column] = performance.now() - begun
      }
      await page.goto(url)
      await Promise.all([
        at('conversation', page.locator('[data-from=agent]').last()),
        at('state', page.getByRole('region', { name: 'Changes' }).getByText('messages:')),
        at('steps', page.getByRole('option').nth(2)),
      ])
      await page.waitForLoadState('networkidle')
    })
    const shift = await page.evaluate<number>('shift')
    return {
      ...drawn,
      'longest task': longestMs,
      'longest task, processor time': longestCpuMs,
      'layout shift': shift * 100,
    }
  } finally {
    await page.close()
  }
}

/** Answers the thread: as many messages, two a run, and then a run with the documents in the state. */
async function fillConversation(url: string, messages: number): Promise<string> {
  const thread = await startThread(url, 'archive', {})
  const ask = () =>
    post(`${url}/threads/${thread}/runs`, {
      assistant_id: 'archive',
      input: { messages: messagesOf(1) },
      multitask_strategy: 'enqueue',
      stream_mode: ['updates'],
    })
  for (let count = 2; count < messages; count += 2) await ask()
  await untilIdle(`${url}/threads/${thread}`)
  const text = 'Lorem ipsum dolor sit amet, consectetur. '.repeat(48)
  const count = messages > 2 ? Math.ceil(DOCUMENTS_BYTES / text.length) : 1
  const documents = Array.from({ length: count }, (_, place) => ({ title: `No. ${place}`, text }))
  await post(`${url}/threads/${thread}/state`, { values: { documents }, as_node: 'answer' })
  await ask()
  await untilIdle(`${url}/threads/${thread}`)
  return thread
}

/** Answers a new thread with this state. */
async function startThread(url: string, graph: string, values: object): Promise<string> {
  const metadata = { graph_id: graph }
  const { thread_id } = await post(`${url}/threads`, { metadata })
  if (Object.keys(values).length > 0)
    await post(`${url}/threads/${thread_id}/state`, { values, as_node: 'answer' })
  return thread_id
}

function messagesOf(count: number) {
  return Array.from({ length: count }, (_, place) => ({
    type: place % 2 === 0 ? 'human' : 'ai',
    id: crypto.randomUUID(),
    content: `**No. ${place}**: where is the third shelf?`,
  }))
}

async function post(url: string, body: object): Promise<{ thread_id: string }> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${url}: ${await answer.text()}`)
  return (await answer.json()) as { thread_id: string }
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

export const studioRows: Row[] = [
  streamRow('studio-stream', 0),
  streamRow('studio-stream-long', MESSAGES),
  longRow,
  threadsRow,
]
