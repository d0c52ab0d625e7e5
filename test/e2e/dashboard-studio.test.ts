/** The Studio in a real browser: its graph, the conversation, and the form of graphs without one. */
import type { Locator, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NO_BROWSER } from '../support/dashboard/browser.ts'
import { startStudioOf } from '../support/dashboard/dashboard.ts'
import type { DashboardVisitor } from '../support/dashboard/dashboard-visitor.ts'
import { forAllTests } from '../support/running.ts'

const skipped = NO_BROWSER ? ` (skipped: ${NO_BROWSER})` : ''

/** What a component tries that would like to act for the person; it answers what came of each. */
const TRIES = `async (base) => {
  const attempt = (work) => Promise.resolve().then(work).then(String, (e) => e?.name ?? 'refused')
  const image = () => new Promise((resolve, reject) => {
    const one = new Image()
    one.onload = () => resolve('loaded')
    one.onerror = () => reject()
    one.src = base + '/icon.svg'
  })
  return {
    origin,
    cookie: await attempt(() => document.cookie),
    storage: await attempt(() => localStorage.length),
    page: await attempt(() => parent.document.title),
    top: await attempt(() => { top.location = base }),
    read: await attempt(() => fetch('/info', { credentials: 'include' })),
    me: await attempt(() => fetch(new URL('/v2/me', base), { mode: 'no-cors' })),
    image: await attempt(image),
    popup: await attempt(() => open(base)),
  }
}`

/** The script of a component that begins a run as soon as it is shown. */
const HASTY = `var __LGUI_desk = { render(name, id) {
  const use = globalThis[Symbol.for('LGUI_REQUIRE')]
  const { createElement, useEffect } = use('react')
  const { useStreamContext } = use('@langchain/langgraph-sdk/react-ui')
  const Hasty = () => {
    const { submit, values } = useStreamContext()
    useEffect(() => void submit({ messages: [{ type: 'human', content: 'again' }] }), [])
    return createElement('p', null, values.messages.length + ' messages')
  }
  const target = document.createElement('div')
  document.getElementById(id).shadowRoot.append(target)
  globalThis[Symbol.for('LGUI_EXT_STORE')].respond(id, Hasty, target)
} }`

describe.skipIf(NO_BROWSER)(`the Studio${skipped}`, () => {
  let visitor: DashboardVisitor
  let page: Page
  const studio = forAllTests(() => startStudioOf('test/fixtures/projects/studio/langgraph.json'))
  beforeEach(async () => {
    visitor = await studio.visitor()
    page = visitor.page
  })
  afterEach(async () => {
    const { problems } = visitor
    await visitor.leave()
    expect(problems).toEqual([])
  })

  const open = (assistant: string) => visitor.open(`/studio/${assistant}`)
  const node = (name: string) => page.locator(`[data-node="${name}"]`)
  const inState = (name: string, state: string): Locator =>
    page.locator(`[data-node="${name}"][data-state=${state}]`)
  /** Fails with the state that the node has instead. */
  const untilState = (name: string, state: string) =>
    expect.poll(() => node(name).getAttribute('data-state')).toBe(state)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const messages = () => page.getByRole('region', { name: 'Messages' })
  const answer = (text: string) =>
    messages().locator('[data-from=agent]').filter({ hasText: text }).last()
  const isOver = () => button('Stop').waitFor({ state: 'detached' })

  async function say(text: string): Promise<void> {
    const field = page.getByRole('textbox', { name: 'Message', exact: true })
    await field.fill(text)
    await field.press('Enter')
  }

  const threadId = () => new URL(page.url()).searchParams.get('thread') ?? ''

  async function stateOf(thread: string): Promise<Record<string, unknown>> {
    const response = await fetch(`${studio.server}/threads/${thread}/state`)
    const { values } = (await response.json()) as { values: Record<string, unknown> }
    return values
  }

  test('is reached from the list of assistants', async () => {
    await visitor.open('/')
    const table = page.getByRole('grid', { name: 'Assistants' })
    await table.getByRole('row', { name: /desk/ }).getByRole('link', { name: 'Open' }).click()
    await node('answer').waitFor()
    await page.getByText('Talk to desk').waitFor()
  })

  test('talks with tokens and calls of tools', async () => {
    await open('desk')
    await node('answer').waitFor()
    await say('What is the weather in Oslo?')
    await answer('It is 14 °C in Oslo. Done.').waitFor()
    const row = messages().locator('[data-call=weather]')
    await row.getByRole('button').click()
    expect(await row.textContent()).toContain('It is 14 °C in Oslo.')
    await row.getByText('"Oslo"').waitFor()
    const component = messages().locator('[data-component=weather]')
    await component.getByText('Component').click()
    await component.getByText('degrees:').waitFor()
    await component.frameLocator('iframe').getByText('14 °C').waitFor()
    await isOver()
    await untilState('tools', 'done')
    await visitor.pictures('studio-chat')
    expect(await visitor.faults()).toEqual([])
  })

  test("shows an agent's component, which acts by itself and by the thread", async () => {
    await open('desk')
    await say('What is the weather in Oslo?')
    const shown = messages().locator('iframe')
    const component = shown.first().contentFrame()
    await component.getByText('14 °C').waitFor()
    await isOver()
    const heightOf = async () => (await shown.first().boundingBox())?.height
    const tooMuch = async () => {
      const inside = await component.locator('#component').boundingBox()
      return ((await heightOf()) ?? 0) - (inside?.height ?? -1)
    }
    await expect.poll(tooMuch).toBe(0)
    await component.getByRole('button', { name: 'Other unit' }).click()
    await component.getByText('57 °F').waitFor()
    await component.getByRole('button', { name: 'Look again' }).click()
    await shown.nth(1).contentFrame().getByText('14 °C').waitFor()
    await isOver()
    const { messages: kept } = await stateOf(threadId())
    expect(kept).toHaveLength(8)
    // It has kept what it was while the thread went on.
    await component.getByText('57 °F').waitFor()

    // The end of a conversation is seen at first, though its components get their height late.
    await page.setViewportSize({ width: 1440, height: 560 })
    await page.reload()
    await component.getByText('14 °C').waitFor()
    await shown.nth(1).contentFrame().getByText('14 °C').waitFor()
    const toTheEnd = () =>
      messages().evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)
    await expect.poll(toTheEnd).toBeLessThan(2)
    const height = () => messages().evaluate((box) => box.scrollHeight - box.clientHeight)
    expect(await height()).toBeGreaterThan(100)
    // It is so when the window gets smaller, too.
    await page.setViewportSize({ width: 1440, height: 900 })
    const before = await height()
    await page.setViewportSize({ width: 1440, height: 700 })
    await expect.poll(height).toBeGreaterThan(before)
    await expect.poll(toTheEnd).toBeLessThan(2)
  })

  test('keeps a component from the page, its session and its server', async () => {
    visitor.expect(/Content Security Policy|frame with origin|Blocked opening|: csp$/)
    await open('desk')
    await say('What is the weather in Oslo?')
    const component = messages().locator('iframe').contentFrame()
    await component.getByText('14 °C').waitFor()
    await isOver()
    const found = page.frames().find((one) => one.url().endsWith('component-frame.html'))
    expect(await page.evaluate("fetch('/info').then(({ status }) => status)")).toBe(200)
    expect(await found?.evaluate(`(${TRIES})('${studio.url}')`)).toEqual({
      ...{ origin: 'null', cookie: 'SecurityError', storage: 'SecurityError' },
      ...{ page: 'SecurityError', top: 'SecurityError', read: 'TypeError', me: 'TypeError' },
      ...{ image: 'refused', popup: 'null' },
    })

    await page.route('**/ui/desk/entrypoint.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: HASTY }),
    )
    // Looking at the page as a test does counts as a click.
    await page.addInitScript(
      "Object.defineProperty(Navigator.prototype, 'userActivation', { value: { isActive: false } })",
    )
    // A word that goes away again soon.
    const refused = page.getByText('The component weather wanted to begin a run by itself')
    // It knows the state, and begins no run unless somebody has clicked.
    await Promise.all([
      refused.waitFor(),
      page.reload(),
      component.getByText('4 messages').waitFor(),
    ])
    expect((await stateOf(threadId())).messages).toHaveLength(4)
  })

  test('says why a component cannot be shown, and follows its server nowhere', async () => {
    visitor.expect(/entrypoint\.js|ui\/desk|of null|__LGUI_desk/)
    const note = messages().getByRole('alert')
    const headers = { location: '/info' }
    await page.route('**/ui/desk/entrypoint.js', (route) => route.fulfill({ status: 302, headers }))
    await open('desk')
    await say('What is the weather in Oslo?')
    await note.getByText('The component cannot be shown: ').waitFor()
    await isOver()
    await page.route('**/ui/desk/entrypoint.js', (route) => route.fulfill({ body: 'null.x' }))
    await page.reload()
    await note.getByText(/Cannot read properties of null/).waitFor()
    await page.route('**/ui/desk', (route) => route.fulfill({ status: 404 }))
    await page.reload()
    await note.getByText('The agent server answered 404 for it.').waitFor()
  })

  test('shows answers while they are written, and after a reload goes on', async () => {
    await open('desk')
    await say('count to 1200')
    await answer('20 21 22').waitFor()
    await inState('answer', 'running').waitFor()
    await page.reload()
    // From its first word, of which the page has kept nothing.
    await answer('1 2 3 4').waitFor()
    await button('Stop').waitFor()
    await answer('1198 1199').waitFor({ timeout: 120_000 })
    await isOver()
  })

  test('lets a second message wait in line, and stops the first', async () => {
    await open('desk')
    await say('count to 4000')
    await answer('10 11').waitFor()
    await say('And then?')
    const line = page.getByRole('list', { name: 'Waiting in line' })
    await line.getByText('And then?').waitFor()
    await button('Stop').click()
    await answer('You said: And then?').waitFor()
    await line.waitFor({ state: 'detached' })
  })

  test('has an action approved, edited, rejected and replied to in its place', async () => {
    await open('desk')
    await say('Write a letter to Ann')
    const card = page.getByRole('region', { name: 'Interrupt' })
    await card.getByText('Sends a letter by post.').waitFor()
    await messages().getByText('Reasoning').click()
    await messages().getByText('A letter is for good. I ask first.').waitFor()
    await visitor.pictures('studio-interrupt')
    expect(await visitor.faults()).toEqual([])
    await card.getByRole('button', { name: 'Approve' }).click()
    await answer('Sent "Hello" to Ann. Done.').waitFor()

    await isOver()
    await say('Another letter to Bob')
    await card.getByRole('button', { name: 'Edit' }).click()
    await card.getByRole('textbox', { name: 'To' }).fill('Eve')
    await card.getByRole('textbox', { name: 'Text' }).fill('Bye')
    await visitor.pictures('studio-edit-action')
    expect(await visitor.faults()).toEqual([])
    await card.getByRole('button', { name: 'Approve as edited' }).click()
    await answer('Sent "Bye" to Eve. Done.').waitFor()

    await isOver()
    await say('One more letter to Dan')
    await card.getByRole('button', { name: 'Reject' }).click()
    await card.getByRole('textbox').fill('enough')
    await card.getByRole('button', { name: 'Reject' }).click()
    await answer('Not sent: enough. Done.').waitFor()

    await isOver()
    await say('And a letter to Flo')
    await card.getByRole('button', { name: 'Reply' }).click()
    await card.getByRole('textbox').fill('call her instead')
    await card.getByRole('button', { name: 'Reply' }).click()
    await answer('Not sent, but told: call her instead. Done.').waitFor()
  })

  test('leads to the page where consent is given, and goes on', async () => {
    await open('desk')
    await say(`Read my issues, consent at ${studio.url}/icon.svg`)
    const card = page.getByRole('region', { name: 'Interrupt' })
    await card.getByText('asks for access to your account at acme').waitFor()
    expect(await card.getByRole('list', { name: 'Scopes' }).getByRole('listitem').count()).toBe(2)
    await visitor.pictures('studio-consent')
    expect(await visitor.faults()).toEqual([])
    const opened = page.context().waitForEvent('page')
    await card.getByRole('link', { name: `Open ${new URL(studio.url).host}` }).click()
    const tab = await opened
    await tab.waitForURL('**/icon.svg')
    expect(await tab.evaluate('[opener, document.referrer]')).toEqual([null, ''])
    await tab.close()
    await card.getByRole('button', { name: 'I have consented, go on' }).click()
    await answer('No issues, asked with true. Done.').waitFor()

    await isOver()
    await say('Read my issues, consent at javascript:alert(1)')
    await card.getByText('javascript:alert(1)', { exact: true }).waitFor()
    expect(await card.getByRole('link').count()).toBe(0)
    await visitor.pictures('studio-consent-no-link')
    await card.getByRole('button', { name: 'Answer otherwise' }).click()
    await card.getByRole('button', { name: 'No', exact: true }).click()
    await answer('No issues, asked with false. Done.').waitFor()

    await isOver()
    await say('Read my issues, consent at nowhere')
    await card.getByRole('button', { name: 'Answer otherwise' }).click()
    await card.getByText('JSON', { exact: true }).click()
    const json = card.getByRole('textbox', { name: 'Answer, as JSON' })
    await json.fill('{ "token": ')
    expect(await card.getByRole('button', { name: 'Answer', exact: true }).isDisabled()).toBe(true)
    await json.fill('{ "token": null }')
    await card.getByRole('button', { name: 'Answer', exact: true }).click()
    await answer('No issues, asked with {"token":null}. Done.').waitFor()
  })

  test('makes a form of the schema that an answer has', async () => {
    await open('desk')
    await say('Book a table')
    const card = page.getByRole('region', { name: 'Interrupt' })
    await card.getByText('How many seats?').waitFor()
    await card.getByRole('textbox', { name: 'Near' }).fill('window')
    expect(await visitor.faults()).toEqual([])
    await card.getByRole('button', { name: 'Answer', exact: true }).click()
    await card.getByText('seats: Is needed.').waitFor()
    await card.getByRole('spinbutton', { name: 'Seats' }).fill('3')
    await visitor.pictures('studio-answer-form')
    await card.getByRole('button', { name: 'Answer', exact: true }).click()
    await answer('Booked 3 near the window. Done.').waitFor()

    await isOver()
    await say('Rate it')
    await card.getByText('How was it?').waitFor()
    await card.getByRole('button', { name: 'good' }).click()
    await answer('Rated good. Done.').waitFor()
  })

  test('takes the answer to a question in the composer, and asks before a new message', async () => {
    await open('survey')
    await say('[{ "value": { "question": "Which name?", "default": "Ann" } }]')
    const card = page.getByRole('region', { name: 'Interrupt' })
    await card.getByText('Which name?').waitFor()
    const field = page.getByRole('textbox', { name: 'Answer', exact: true })
    const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")')
    await expect.poll(focused).toBe('Answer')
    expect(await field.inputValue()).toBe('Ann')
    expect(await button('Yes').count()).toBe(0)
    await visitor.pictures('studio-question')
    expect(await visitor.faults()).toEqual([])
    await field.fill('Bob')
    await field.press('Enter')
    await answer('Got "Bob".').waitFor()

    await isOver()
    await say('[{ "value": "And then?" }]')
    await button('Write a message instead').click()
    await say('[{ "value": "Another?" }]')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('What waits here is dropped.').waitFor()
    await visitor.pictures('studio-question-dropped')
    expect(await visitor.faults()).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await card.getByText('And then?').waitFor()
    const message = page.getByRole('textbox', { name: 'Message', exact: true })
    expect(await message.inputValue()).toBe('[{ "value": "Another?" }]')
    await message.press('Enter')
    await dialog.getByRole('button', { name: 'Send the message' }).click()
    await card.getByText('Another?').waitFor()
    await field.fill('no')
    await button('Answer').click()
    await answer('Got "no".').waitFor()
  })

  test('shows the answers that a question names as buttons, with their defaults', async () => {
    const card = page.getByRole('region', { name: 'Interrupt' })
    const asked = async (question: object) => {
      await isOver()
      await say(JSON.stringify([question]))
      await card.getByText('Which one?').waitFor()
    }
    const question = 'Which one?'
    await open('survey')
    await asked({
      value: { question, choices: ['tea', { value: 2, label: 'Coffee' }], default: 2 },
    })
    await visitor.pictures('studio-choices')
    expect(await visitor.faults()).toEqual([])
    await page.getByRole('textbox', { name: 'Answer', exact: true }).press('Enter')
    await answer('Got 2.').waitFor()
    await asked({ value: { question, choices: ['tea', 'coffee'] } })
    await card.getByRole('button', { name: 'tea' }).click()
    await answer('Got "tea".').waitFor()

    await asked({ value: { question, type: 'boolean' } })
    await card.getByRole('button', { name: 'No', exact: true }).click()
    await answer('Got false.').waitFor()

    const approved = { type: 'object', properties: { approved: { type: 'boolean' } } }
    await asked({ value: question, schema: approved })
    await card.getByRole('button', { name: 'Yes', exact: true }).click()
    await answer('Got {"approved":true}.').waitFor()

    const seats = { type: 'integer', title: 'Seats', default: 2 }
    const at = { type: 'string', title: 'At', enum: ['door', 'window'], default: 'window' }
    await asked({ value: question, schema: { type: 'object', properties: { seats, at } } })
    await expect.poll(() => card.getByRole('spinbutton', { name: 'Seats' }).inputValue()).toBe('2')
    await visitor.pictures('studio-defaults')
    expect(await visitor.faults()).toEqual([])
    await card.getByRole('button', { name: 'Answer', exact: true }).click()
    await answer('Got {"seats":2,"at":"window"}.').waitFor()

    await asked({ value: question, schema: { type: 'string', minLength: 2 } })
    const field = page.getByRole('textbox', { name: 'Answer', exact: true })
    await field.fill('x')
    await field.press('Enter')
    await page.getByRole('alert').waitFor()
    await field.fill('xy')
    await field.press('Enter')
    await answer('Got "xy".').waitFor()
  })

  test('has several questions answered together, or some of them', async () => {
    await open('survey')
    await say('[{ "value": "One?" }, { "value": "Two?" }, { "value": "Three?" }]')
    const card = (text: string) =>
      page.getByRole('region', { name: 'Interrupt' }).filter({ hasText: text })
    const give = async (question: string, text: string) => {
      await card(question).getByRole('textbox', { name: 'Answer' }).fill(text)
      await card(question).getByRole('button', { name: 'Answer', exact: true }).click()
      await card(question).getByText('Answered, not sent yet').waitFor()
    }
    await page.getByText('3 questions wait. Answer all of them, or only some.').waitFor()
    await give('Two?', 'b')
    await page.getByText('The other 2 questions stay open').waitFor()
    await visitor.pictures('studio-questions')
    expect(await visitor.faults()).toEqual([])
    await button('Send 1 of 3 answers').click()
    await page.getByText('2 questions wait. Answer all of them, or only some.').waitFor()
    await card('One?').waitFor()
    expect(await card('Two?').count()).toBe(0)
    await give('One?', 'x')
    await card('One?').getByRole('button', { name: 'Change' }).click()
    await give('One?', 'a')
    await give('Three?', 'c')
    await button('Send 2 of 2 answers').click()
    for (const text of ['Got "a".', 'Got "b".', 'Got "c".']) await answer(text).waitFor()
  })

  test('reruns from a message that was edited, and keeps the other branch', async () => {
    await open('desk')
    await say('first')
    await answer('You said: first').waitFor()
    await isOver()
    await say('second')
    await answer('You said: second').waitFor()
    await isOver()
    const said = messages().locator('[data-from=human]').filter({ hasText: 'first' })
    await said.hover()
    await said.getByRole('button', { name: 'Edit and rerun from here' }).click()
    await page.getByRole('textbox', { name: 'Your message, edited' }).fill('other')
    await button('Run from here').click()
    await answer('You said: other').waitFor()
    await isOver()
    expect(await messages().locator('[data-from=human]').allTextContents()).toHaveLength(1)
    const { messages: kept } = await stateOf(threadId())
    expect(kept).toHaveLength(2)
  })

  test('takes an image and a file along', async () => {
    await open('desk')
    const pixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const chooser = page.waitForEvent('filechooser')
    await button('Attach images or files').click()
    await (await chooser).setFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(pixel, 'base64') },
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('buy tea') },
    ])
    const attached = page.getByRole('list', { name: 'Attached' })
    await attached.getByText('dot.png', { exact: true }).waitFor()
    await attached.getByText('notes.txt', { exact: true }).waitFor()
    await say('Look')
    await messages().getByRole('img').waitFor()
    await messages().getByText('notes.txt').waitFor()
    await answer('You said: Look').waitFor()
    const [first] = (await stateOf(threadId())).messages as { content: unknown }[]
    expect(first?.content).toMatchObject([
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
      { type: 'file', mime_type: 'text/plain', data: Buffer.from('buy tea').toString('base64') },
    ])
  })

  async function fill(values: Record<string, string>): Promise<void> {
    for (const [label, value] of Object.entries(values))
      await page.getByLabel(label, { exact: true }).fill(value)
  }

  test('runs a graph without a conversation by a form, its nodes lit as they run', async () => {
    await open('brew?unfolded=["water"]')
    await node('choose').waitFor()
    await fill({ Tea: 'mint', Cups: '2', Ms: '4000' })
    await button('Run').click()
    const lit = (name: string) => inState(name, 'running')
    await lit('choose').waitFor()
    await lit('boil').waitFor()
    await lit('water').waitFor()
    await lit('pour').waitFor()
    await isOver()
    expect(await stateOf(threadId())).toMatchObject({ tea: 'mint', cups: 2, isHot: true })
    const taken = await page
      .locator('.react-flow__edge-path')
      .evaluateAll((paths) =>
        paths.filter(({ style }) => style.strokeWidth === '2.25').map(({ id }) => id),
      )
    expect(taken.toSorted()).toEqual([
      '__start__→choose',
      'choose→water:fill',
      'pour→__end__',
      'sweeten→pour',
      'water:boil→sweeten',
      'water:fill→water:boil',
    ])
    await visitor.pictures('studio-form')
    expect(await visitor.faults()).toEqual([])
  })

  test('unfolds and folds a graph within the graph, and describes it', async () => {
    await open('brew')
    await button('Unfold water').click()
    await node('fill').waitFor()
    await button('Fold water').click()
    await node('fill').waitFor({ state: 'detached' })
    await page.getByText('As a list').click()
    const list = page.getByRole('list', { name: 'Nodes' })
    await list
      .getByRole('button', { name: /^water has not run; leads to sweeten \(at times\)/ })
      .waitFor()
    await list.getByRole('button', { name: /^pour/ }).press('Enter')
    await page.getByRole('region', { name: 'Node pour' }).waitFor()
    expect(new URL(page.url()).searchParams.get('node')).toBe('pour')
  })

  test('stops at breakpoints, goes on, and tells what a node read and wrote', async () => {
    await open('brew')
    await node('pour').getByRole('button').click()
    await page.getByText('Stop before it').click()
    // It is kept on a reload.
    await page.reload()
    await page.getByRole('switch', { name: 'Stop before it', checked: true }).waitFor()
    await node('choose').getByRole('button').click()
    await page.getByText('Stop after it').click()
    await fill({ Tea: 'black', Cups: '1', Ms: '10' })
    await button('Run').click()
    const stop = page.getByRole('region', { name: 'Breakpoint' })
    await stop.getByText('The run stopped before water.').waitFor()
    await stop.getByRole('button', { name: 'Go on' }).click()
    await stop.getByText('The run stopped before pour.').waitFor()
    await untilState('pour', 'waits')
    await visitor.pictures('studio-breakpoint')
    expect(await visitor.faults()).toEqual([])
    await node('pour').getByRole('button').click()
    await page.getByText('Stop before it').click()
    await stop.getByRole('button', { name: 'Go on' }).click()
    await stop.waitFor({ state: 'detached' })
    await untilState('pour', 'done')
    const details = page.getByRole('region', { name: 'Node pour' })
    await details.getByText('"pour"').waitFor()
    await details.getByRole('tab', { name: 'Read' }).click()
    await details.getByText('"black"').waitFor()
  })

  test('says what a run failed with, and tries the step again', async () => {
    visitor.expect(/The pot holds nine cups/)
    await open('brew')
    await fill({ Tea: 'black', Cups: '12', Ms: '1' })
    await button('Run').click()
    const note = page.getByRole('alert').filter({ hasText: 'The run failed.' })
    await note.getByText('The pot holds nine cups.').waitFor()
    await untilState('pour', 'failed')
    await note.getByRole('button', { name: 'Try that step again' }).click()
    await note.getByText('The pot holds nine cups.').waitFor()
    await page.getByText('Failed', { exact: true }).first().waitFor()
  })

  test('refuses an input that does not fit, where it does not', async () => {
    await open('brew')
    await page.getByRole('radio', { name: 'JSON' }).click()
    await page.getByRole('textbox', { name: 'Input, as JSON' }).fill('{ "cups": "two" }')
    await button('Run').click()
    await page
      .getByRole('alert')
      .getByText(/^cups: /)
      .waitFor()
    expect(threadId()).toBe('')
  })
})
