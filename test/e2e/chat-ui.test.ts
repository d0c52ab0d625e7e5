/** The hooks of the official React packages in a real browser, against the real server. */
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { NO_BROWSER, startBrowser } from '../support/dashboard/browser.ts'
import { checkChatUi, installChatUi, serveChatUi } from '../support/dashboard/chat-ui.ts'
import { type RunningExample, startExample } from '../support/processes/example.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const KEY = 'a-key-for-the-chat'
const skipped = NO_BROWSER ? ` (skipped: ${NO_BROWSER})` : ''

/** Has the page note each text that the agent's newest message has had: nobody else looks in time. */
const NOTES = `
  const shown = []
  const note = () => shown.push([...document.querySelectorAll('li[data-from=agent] > p')].at(-1)?.textContent ?? '')
  new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true })
  globalThis.shown = shown
`

describe.skipIf(NO_BROWSER)(`the chat${skipped}`, () => {
  let browser: Browser
  const folder = temporaryFolder()
  let site: { url: string; stop(): Promise<void> }
  let server: RunningExample
  let page: Page
  /** What went wrong in the page by itself. */
  let problems: string[]

  beforeAll(async () => {
    await installChatUi()
    site = await serveChatUi(join(folder, 'site'))
    server = await startExample('chat-ui', { RUNYARD_API_KEYS: KEY })
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
    await site?.stop()
  })

  beforeEach(async () => {
    page = await browser.newPage()
    page.setDefaultTimeout(90_000)
    problems = []
    page.on('pageerror', (error) => problems.push(String(error)))
  })
  afterEach(async () => {
    await page.close()
    expect(problems).toEqual([])
  })

  const open = (hook: string, key = KEY) => {
    const query = new URLSearchParams({ hook, server: server.url, key })
    return page.goto(`${site.url}?${query}`)
  }
  const said = (from: string): Locator => page.locator(`li[data-from=${from}] > p`)
  const send = async (text: string) => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text)
    await page.keyboard.press('Enter')
  }
  /** The text of the newest message of a sender, once it is this. */
  const reads = (from: string, text: string) =>
    said(from).filter({ hasText: text }).last().waitFor()
  const isIdle = () => page.getByRole('button', { name: 'Send', exact: true }).waitFor()

  test('is as its types say', checkChatUi)

  describe.each(['runs', 'thread'])('on the hook of ?hook=%s', (hook) => {
    test('shows tokens as they come', async () => {
      await open(hook)
      await page.evaluate(NOTES)
      await send('Count to 300')
      await reads('agent', '298 299 300')
      await isIdle()
      const early = await page.evaluate<string[]>('shown.filter((text) => text.includes("1 2 3"))')
      expect(early[0]?.split(' ').length).toBeLessThan(300)
      await expect.poll(() => said('human').allTextContents()).toEqual(['Count to 300'])
      expect(await said('agent').count()).toBe(1)
    })

    test('shows what the agent asks its tools, and a component that the server sends', async () => {
      await open(hook)
      await send('What is the weather in Oslo?')
      await page.getByText('weather {"city":"Oslo"}').waitFor()
      await reads('tool', 'It is 14 °C in Oslo.')
      await reads('agent', 'Anything else?')
      const card = page.getByRole('region', { name: 'Weather in Oslo' })
      await card.getByText('14 °C').waitFor()
      await isIdle()
      const picture = await page.screenshot({ fullPage: true })
      expect(picture.length).toBeGreaterThan(10_000)
      await card.getByRole('button', { name: 'Look again' }).click()
      await said('human').filter({ hasText: 'weather in Oslo' }).nth(1).waitFor()
      await card.nth(1).getByText('14 °C').waitFor()
      await isIdle()
    })

    test.each([
      ['Approve', 'Booked: a table.'],
      ['Reject', 'Not booked: a table.'],
    ])('asks a human, who says: %s', async (button, outcome) => {
      await open(hook)
      await send('Please book a table')
      await page.getByText('Shall I book a table?').waitFor()
      await page.getByRole('button', { name: button }).click()
      await reads('tool', outcome)
      await reads('agent', `${outcome} Anything else?`)
      await isIdle()
      await expect.poll(() => page.getByText('Shall I book').count()).toBe(0)
    })

    test('goes on from an earlier message in another way', async () => {
      await open(hook)
      await send('one')
      await reads('agent', 'You said: one')
      await isIdle()
      await send('two')
      await reads('agent', 'You said: two')
      await isIdle()
      await page.getByRole('button', { name: 'Edit' }).first().click()
      await page.getByRole('textbox', { name: 'Your message, edited' }).fill('three')
      await page.keyboard.press('Enter')
      await reads('agent', 'You said: three')
      await isIdle()
      await expect.poll(() => said('human').allTextContents()).toEqual(['three'])
      await page.reload()
      await reads('agent', 'You said: three')
      await expect.poll(() => said('human').allTextContents()).toEqual(['three'])
    })

    test('is reloaded in the middle of an answer, and goes on', async () => {
      await open(hook)
      await send('Count to 120')
      await reads('agent', '1 2 3')
      await page.reload()
      await reads('agent', '118 119 120')
      await isIdle()
      const numbers = Array.from({ length: 120 }, (_, index) => index + 1).join(' ')
      const texts = async () => (await said('agent').allTextContents()).map((text) => text.trim())
      await expect.poll(texts).toEqual([numbers])
      await expect.poll(() => said('human').allTextContents()).toEqual(['Count to 120'])
    })

    test('says so when the key is not taken', async () => {
      await open(hook, 'another')
      await send('hello')
      await page.getByRole('alert').waitFor()
    })
  })

  test('switches between the versions of a message', async () => {
    await open('runs')
    await send('one')
    await reads('agent', 'You said: one')
    await isIdle()
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Your message, edited' }).fill('other')
    await page.keyboard.press('Enter')
    await reads('agent', 'You said: other')
    await isIdle()
    await page.getByText('2 / 2').first().waitFor()
    await page.getByRole('button', { name: 'Earlier version' }).first().click()
    await reads('agent', 'You said: one')
    await expect.poll(() => said('human').allTextContents()).toEqual(['one'])
  })
})
