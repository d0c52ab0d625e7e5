/**
 * Somebody who looks at the dashboard with a real browser, and notices whatever goes wrong by itself: an
 * error on the console or in the page, a request that fails, more streams than a page may hold, and what axe
 * finds.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Browser, BrowserContext, Page, Request } from 'playwright-core'

const AXE = resolve(import.meta.dirname, '../../../node_modules/axe-core/axe.min.js')
const WIDE = { width: 1440, height: 900 }
const NARROW = { width: 390, height: 844 }
const THEMES = ['light', 'dark'] as const
/**
 * The page itself gives up a request when it is left, or needs the answer no more; the browser gives up all of them when
 * the machine's networks change, as they do with each container that is started, and the page asks again.
 */
const NOBODYS_FAULT = ['net::ERR_ABORTED', 'net::ERR_NETWORK_CHANGED']
/** A browser has six connections to a host: two pages that hold three each would leave none to any other. */
const MOST_STREAMS = 2

/** Rules whose violations axe does not call serious, and which hold here all the same. */
const ALSO = ['region', 'empty-table-header', 'page-has-heading-one', 'landmark-one-main']

interface Violation {
  id: string
  impact: string | null
  help: string
  nodes: { target: string[]; html: string; failureSummary?: string }[]
}

export class DashboardVisitor {
  /** What went wrong so far: a test ends with `expect(visitor.problems).toEqual([])`. */
  readonly problems: string[] = []
  readonly page: Page
  readonly #url: string
  readonly #context: BrowserContext
  readonly #expected: RegExp[] = []
  /** Those that the page holds open. */
  readonly #streams = new Set<Request>()

  private constructor(url: string, context: BrowserContext, page: Page) {
    this.#url = url
    this.#context = context
    this.page = page
    page.setDefaultTimeout(60_000)
    page.on('pageerror', (error) => this.#note(`error: ${error.stack ?? error}`))
    page.on('console', (message) => {
      // A failed request is told below, with its address.
      const isTold = message.text().startsWith('Failed to load resource')
      if (message.type() === 'error' && !isTold) this.#note(`console: ${message.text()}`)
    })
    page.on('requestfinished', (request) => void this.#streams.delete(request))
    page.on('requestfailed', (request) => {
      this.#streams.delete(request)
      const reason = request.failure()?.errorText ?? ''
      if (!NOBODYS_FAULT.includes(reason))
        this.#note(`${request.method()} ${request.url()}: ${reason}`)
    })
    page.on('response', (response) => {
      const request = response.request()
      if (response.status() >= 400)
        this.#note(`${request.method()} ${response.url()}: ${response.status()}`)
      if (response.headers()['content-type']?.startsWith('text/event-stream')) this.#hold(request)
    })
  }

  static async come(browser: Browser, url: string): Promise<DashboardVisitor> {
    const context = await browser.newContext({
      viewport: WIDE,
      reducedMotion: 'reduce',
      locale: 'en-GB',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    return new DashboardVisitor(url, context, await context.newPage())
  }

  /** With a key, as the sign-in page does it. `url`: where sessions are opened. */
  async signIn(url: string, api_key: string): Promise<void> {
    const headers = { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' }
    const data = { api_key }
    const answer = await this.#context.request.post(url, { headers, data })
    if (!answer.ok()) throw new Error(`${answer.status()} at sign-in: ${await answer.text()}`)
  }

  /** Opens a page by its path within the app: `/deployments`. */
  async open(path: string): Promise<Page> {
    await this.page.goto(`${this.#url}${path}`)
    return this.page
  }

  /** Waits until the page has its heading and draws no skeletons any more. */
  async drawn(): Promise<void> {
    const heading = this.page.locator('h1').first()
    await heading.waitFor().catch((cause: unknown) => {
      const problems = this.problems.join('\n')
      throw new Error(`${this.page.url()} has no heading. ${problems}`, { cause })
    })
    // Not to be seen in its first moments.
    const loading = this.page
      .getByRole('status', { includeHidden: true })
      .filter({ hasText: /^Loading/ })
    await loading.first().waitFor({ state: 'detached' })
  }

  /** Waits until nothing more is drawn by itself, for pictures. */
  async settled(): Promise<void> {
    await this.drawn()
    // A graph is laid out, and a chart drawn, when its data is there; streams never end.
    await this.page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => undefined)
    // Fonts come with the first text that is set in them.
    await this.page.evaluate('document.fonts.ready.then(() => undefined)')
  }

  /** A problem that matches is none: the test provokes it. */
  expect(problem: RegExp): void {
    this.#expected.push(problem)
  }

  /**
   * What is wrong with the page as it is now: what axe calls serious or critical, and missing landmarks and headings,
   * in both themes, wide and narrow, and whatever makes a narrow window scroll sideways.
   */
  async faults(): Promise<string[]> {
    const found: string[] = []
    for (const theme of THEMES) {
      await this.page.emulateMedia({ colorScheme: theme })
      found.push(...(await this.#violations()).map((one) => `${theme}: ${one}`))
    }
    await this.narrow()
    found.push(...(await this.#violations()).map((one) => `narrow: ${one}`))
    const tooWide = await this.page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    if (tooWide > 0) found.push(`narrow: the page is ${tooWide} px wider than the window`)
    await this.wide()
    await this.page.emulateMedia({ colorScheme: 'light' })
    return [...new Set(found)]
  }

  async narrow(): Promise<void> {
    await this.page.setViewportSize(NARROW)
  }

  async wide(): Promise<void> {
    await this.page.setViewportSize(WIDE)
  }

  /**
   * Takes pictures of the page in both themes, wide and narrow: `<name>-dark-390.png` and so on. Without a
   * folder, by default that of the variable PICTURES, it does nothing.
   */
  async pictures(name: string, folder = process.env.PICTURES): Promise<void> {
    if (!folder) return
    for (const size of [WIDE, NARROW]) {
      await this.page.setViewportSize(size)
      for (const theme of THEMES) {
        await this.page.emulateMedia({ colorScheme: theme })
        const path = join(folder, `${name}-${theme}-${size.width}.png`)
        mkdirSync(dirname(path), { recursive: true })
        await this.page.screenshot({ path })
      }
    }
    await this.wide()
    await this.page.emulateMedia({ colorScheme: 'light' })
  }

  /** One picture for the docs, small enough to be kept with them. */
  async smallPicture(path: string, theme: (typeof THEMES)[number]): Promise<void> {
    await this.page.setViewportSize({ width: 1200, height: 750 })
    await this.page.emulateMedia({ colorScheme: theme })
    const session = await this.#context.newCDPSession(this.page)
    const format = { format: 'webp', quality: 60 } as const
    const { data } = await session.send('Page.captureScreenshot', format)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, data, 'base64')
    await this.wide()
    await this.page.emulateMedia({ colorScheme: 'light' })
  }

  async leave(): Promise<void> {
    await this.#context.close()
  }

  #hold(stream: Request): void {
    this.#streams.add(stream)
    if (this.#streams.size <= MOST_STREAMS) return
    const open = [...this.#streams].map((one) => one.url()).join(', ')
    this.#note(`more than ${MOST_STREAMS} streams are open: ${open}`)
  }

  #note(problem: string): void {
    if (!this.#expected.some((pattern) => pattern.test(problem))) this.problems.push(problem)
  }

  async #violations(): Promise<string[]> {
    // Not as a script of the page, whose policy allows its own alone.
    const isThere = await this.page.evaluate<boolean>('window.axe !== undefined')
    if (!isThere) await this.page.evaluate(`(() => {${readFileSync(AXE, 'utf8')}\n})()`)
    // Words that React Aria has had read aloud stay there for a while after what they name is gone.
    const { violations } = await this.page.evaluate<{ violations: Violation[] }>(
      "axe.run({ exclude: ['[data-live-announcer]'] }, { resultTypes: ['violations'] })",
    )
    return violations
      .filter(
        ({ id, impact }) => impact === 'serious' || impact === 'critical' || ALSO.includes(id),
      )
      .flatMap(({ id, nodes }) =>
        nodes.map(
          (node) => `${id}: ${node.failureSummary} in ${node.html} (${node.target.join(' ')})`,
        ),
      )
  }
}
