/** Graphs of 30 and 300 nodes, the columns of the Studio, and a long conversation, in a real browser. */
import { Client } from '@langchain/langgraph-sdk'
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NO_BROWSER } from '../support/dashboard/browser.ts'
import { startStudioOf } from '../support/dashboard/dashboard.ts'
import type { DashboardVisitor } from '../support/dashboard/dashboard-visitor.ts'
import { forAllTests } from '../support/running.ts'

const skipped = NO_BROWSER ? ` (skipped: ${NO_BROWSER})` : ''

/** The least size of text in px. */
const READABLE_PX = 11

describe.skipIf(NO_BROWSER)(`a Studio with much in it${skipped}`, () => {
  let visitor: DashboardVisitor
  let page: Page
  const studio = forAllTests(() => startStudioOf('test/fixtures/projects/large/langgraph.json'))
  beforeEach(async () => {
    visitor = await studio.visitor()
    page = visitor.page
  })
  afterEach(async () => {
    const { problems } = visitor
    await visitor.leave()
    expect(problems).toEqual([])
  })

  const open = (path: string) => visitor.open(`/studio/${path}`)
  const node = (name: string) => page.locator(`[data-node="${name}"]`)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const overview = () => page.getByRole('img', { name: 'Overview of the graph' })

  /** Of a node's name as it is seen, in px. */
  async function textSize(name: string): Promise<number> {
    const text = node(name).getByText(name, { exact: true })
    return text.evaluate((one) => {
      const { fontSize } = one.ownerDocument.defaultView.getComputedStyle(one)
      const scale = one.getBoundingClientRect().height / one.offsetHeight
      return Number.parseFloat(fontSize) * scale
    })
  }

  /** Whether the node's middle lies in the drawing. */
  async function isInView(name: string): Promise<boolean> {
    if ((await node(name).count()) === 0) return false
    const [one, drawing] = [await node(name).boundingBox(), await box('[data-graph]')]
    if (!one) return false
    const [x, y] = [one.x + one.width / 2, one.y + one.height / 2]
    return (
      x > drawing.x &&
      x < drawing.x + drawing.width &&
      y > drawing.y &&
      y < drawing.y + drawing.height
    )
  }

  async function box(selector: string) {
    const found = await page.locator(selector).boundingBox()
    if (!found) throw new Error(`${selector} is not there.`)
    return found
  }

  async function run(ms: string): Promise<void> {
    await page.getByLabel('Ms', { exact: true }).fill(ms)
    await button('Run').click()
  }

  test('can be read with 30 nodes: in its column, and as the whole page', async () => {
    await open('thirty')
    await node('merge_1').waitFor()
    expect(await textSize('merge_1')).toBeGreaterThanOrEqual(READABLE_PX)
    await overview().waitFor()
    await visitor.pictures('studio-graph-30')
    expect(await visitor.faults()).toEqual([])
    await button('Show only the graph').click()
    await button('Show the graph beside the conversation').waitFor()
    await page.getByRole('region', { name: 'Conversation' }).waitFor({ state: 'hidden' })
    await node('fetch_3_1').waitFor()
    expect(await textSize('fetch_3_1')).toBeGreaterThanOrEqual(READABLE_PX)
    // The address shows the same to others, on a phone too.
    await visitor.narrow()
    await page.reload()
    await node('merge_1').waitFor()
    expect(await textSize('merge_1')).toBeGreaterThanOrEqual(READABLE_PX)
    await visitor.wide()
    await visitor.pictures('studio-canvas-30')
    expect(await visitor.faults()).toEqual([])
    await page.goBack()
    await page.getByRole('region', { name: 'Conversation' }).waitFor()
  })

  test('unfolds graphs within it where they are, and finds nodes in folded ones', async () => {
    await open('thirty?canvas=true')
    await node('merge_1').waitFor()
    expect(await node('plan_search').count()).toBe(0)
    await page.keyboard.press('/')
    const field = page.getByRole('combobox', { name: 'Find a node' })
    await expect
      .poll(() => field.evaluate((one) => one === one.ownerDocument.activeElement))
      .toBe(true)
    await page.keyboard.type('rank')
    await page.getByRole('option', { name: /rank_quotes/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Node rank_quotes' }).waitFor()
    await expect.poll(() => isInView('rank_quotes')).toBe(true)
    expect(await textSize('rank_quotes')).toBeGreaterThanOrEqual(READABLE_PX)
    await visitor.pictures('studio-canvas-found')
    expect(await visitor.faults()).toEqual([])

    await button('Fold quotes').click()
    await node('rank_quotes').waitFor({ state: 'detached' })
    await page.getByRole('region', { name: 'Node rank_quotes' }).waitFor({ state: 'detached' })
    const before = await box('[data-node="quotes"]')
    await button('Unfold quotes').click()
    await node('rank_quotes').waitFor()
    const after = await box('[data-node="quotes"]')
    expect(Math.abs(after.x - before.x)).toBeLessThan(2)
  })

  test('follows the running node of 300, until following is switched off', async () => {
    await open('hundreds')
    await node('merge_1').waitFor()
    expect(await textSize('merge_1')).toBeGreaterThanOrEqual(READABLE_PX)
    // Only the nodes in view are drawn.
    expect(await page.locator('.react-flow__node').count()).toBeLessThan(100)
    await run('1500')
    await expect.poll(() => isInView('merge_2'), { timeout: 60_000 }).toBe(true)
    await button('Show only the graph').click()
    await expect.poll(() => isInView('merge_4'), { timeout: 60_000 }).toBe(true)
    await visitor.pictures('studio-canvas-300')
    await button('Follow the running node').click()
    await button('Fit the graph').click()
    await page.getByText('Running', { exact: true }).waitFor({ state: 'detached', timeout: 90_000 })
    expect(await isInView('review')).toBe(false)
    await overview().click({ position: { x: 175, y: 45 } })
    await expect.poll(() => isInView('merge_10')).toBe(true)
    expect(await node('merge_10').getAttribute('data-state')).toBe('done')
  })

  test('draws the end of a long conversation, and earlier turns once they are scrolled to', async () => {
    const client = new Client({ apiUrl: studio.server, apiKey: null })
    const { thread_id } = await client.threads.create({ graphId: 'archive' })
    const messages = Array.from({ length: 120 }, (_, place) => ({
      type: place % 2 === 0 ? 'human' : 'ai',
      id: `m${place}`,
      content: `No. ${place}`,
    }))
    await client.threads.updateState(thread_id, { values: { messages }, asNode: 'answer' })
    const input = { messages: [{ type: 'human', id: 'last', content: 'And now?' }] }
    await client.runs.wait(thread_id, 'archive', { input })
    await open(`archive?thread=${thread_id}`)
    const talk = page.getByRole('region', { name: 'Messages' })
    const turns = talk.locator('[data-from]')
    await talk.getByText('And now?').waitFor()
    expect(await turns.count()).toBeLessThan(50)
    const said = talk.locator('[data-from=human]').last()
    await said.hover()
    await said.getByRole('button', { name: 'Edit and rerun from here' }).waitFor()
    await expect
      .poll(async () => {
        await talk.evaluate((one) => one.scrollTo({ top: 0 }))
        return await turns.count()
      })
      .toBeGreaterThanOrEqual(120)
    await talk.getByText('No. 0', { exact: true }).waitFor()
  })

  test('has columns whose widths are dragged, moved by keys, and kept', async () => {
    await open('thirty')
    await node('merge_1').waitFor()
    const bar = page.getByRole('separator', { name: 'Width of Graph' })
    const width = async () => (await box('[data-column=graph]')).width
    const first = await width()
    const { x, y, height } = await bar.boundingBox().then((found) => found ?? expect.fail())
    await page.mouse.move(x + 4, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + 154, y + height / 2, { steps: 5 })
    await page.mouse.up()
    await expect.poll(width).toBeCloseTo(first + 150, -1)
    await bar.press('ArrowLeft')
    await expect.poll(width).toBeCloseTo(first + 126, -1)
    const kept = await width()
    await page.reload()
    await node('merge_1').waitFor()
    expect(await width()).toBeCloseTo(kept, 0)
    await bar.press('Home')
    await expect.poll(width).toBeCloseTo(200, -1)
    expect(await visitor.faults()).toEqual([])
  })
})
