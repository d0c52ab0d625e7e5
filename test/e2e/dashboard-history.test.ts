/** The Studio's history in a real browser: states, forks, replays, assistants and comparisons. */
import type { Client, ThreadState } from '@langchain/langgraph-sdk'
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { NO_BROWSER } from '../support/dashboard/browser.ts'
import { startProjectStudio } from '../support/dashboard/dashboard-studio.ts'
import type { DashboardVisitor } from '../support/dashboard/dashboard-visitor.ts'
import { forAllTests } from '../support/running.ts'

const skipped = NO_BROWSER ? ` (skipped: ${NO_BROWSER})` : ''

/** Pages are looked at in two themes and two widths, which takes its time on a machine with more to do. */
const BROWSER_MS = 300_000

interface Talk {
  messages: { type: string; content: string; id: string }[]
  topic?: string
  trail: string[]
}

describe.skipIf(NO_BROWSER)(`the history in the Studio${skipped}`, () => {
  let visitor: DashboardVisitor
  let client: Client
  const studio = forAllTests(() => startProjectStudio('test/fixtures/projects/history'))
  beforeAll(async () => {
    client = studio.client
  })
  beforeEach(async () => {
    visitor = await studio.visitor()
  })
  afterEach(async () => {
    const { problems } = visitor
    await visitor.leave()
    expect(problems).toEqual([])
  })

  /** A thread on which something was said and answered. */
  const talked = async (text = 'tea', assistant = 'talk') => {
    const { thread_id } = await client.threads.create()
    const input = { messages: [{ role: 'user', content: text }] }
    const run = await client.runs.create(thread_id, assistant, { input })
    await client.runs.join(thread_id, run.run_id)
    return { thread_id, run_id: run.run_id }
  }
  const historyOf = (thread: string): Promise<ThreadState<Talk>[]> =>
    client.threads.getHistory<Talk>(thread, { limit: 100 })
  const rows = (page: Page) => page.getByRole('option')
  const row = (page: Page, name: string | RegExp) => page.getByRole('option', { name })
  const changes = (page: Page) => page.getByRole('region', { name: 'Changes' })

  test(
    'lists each checkpoint, with what changed to the one before',
    async () => {
      const { thread_id } = await talked()
      const page = await visitor.open(`/studio/talk?thread=${thread_id}`)
      await row(page, /answer/).waitFor()
      const history = await historyOf(thread_id)
      expect(await rows(page).count()).toBe(history.length)
      const names = ['answer', 'plan', 'think', '__start__', 'Input']
      for (const [place, state] of history.entries()) {
        const text = await rows(page).nth(place).textContent()
        expect(text).toContain(`Step ${state.metadata?.step}${names[place]}`)
      }
      await row(page, /think/).click()
      await changes(page).getByText('topic:').waitFor()
      expect((await changes(page).innerText()).replaceAll(/\s+/g, ' ')).toBe(
        'trail: + added 0:"think" + added topic:"tea" 1 key unchanged',
      )
      await row(page, /answer/).click()
      await changes(page).getByText('About tea.').waitFor()
      expect(await changes(page).innerText()).toContain('12 tokens')
      await visitor.pictures('studio-history')
      expect(await visitor.faults()).toEqual([])

      await row(page, /think/).click()
      await page.getByRole('option', { name: /think/, selected: true }).waitFor()
      await page.getByRole('button', { name: 'State', exact: true }).last().click()
      const whole = page.getByRole('region', { name: 'State', exact: true }).last()
      await whole.getByText('topic').waitFor()
      await visitor.pictures('studio-state')
      await page.getByRole('button', { name: 'Next', exact: true }).click()
      const next = page.getByRole('region', { name: 'Next', exact: true })
      await next.getByText('Steps of its subgraph').click()
      await next.getByText(/Step 1 · write/).click()
      await next.getByText('tea, in short').first().waitFor()
      await visitor.pictures('studio-tasks')
      expect(await visitor.faults()).toEqual([])
      await expect.poll(() => page.url()).toContain('show=tasks')
      expect(page.url()).toContain(
        `checkpoint=${history.find(({ next: after }) => after[0] === 'plan')?.checkpoint.checkpoint_id}`,
      )
      await page.reload()
      await page.getByRole('option', { name: /think/, selected: true }).waitFor()
      await next.getByText('Steps of its subgraph').waitFor()
    },
    BROWSER_MS,
  )

  test(
    'forks from a checkpoint by keyboard alone, runs on, and leads to both branches',
    async () => {
      const { thread_id } = await talked()
      const before = await historyOf(thread_id)
      const page = await visitor.open(`/studio/talk?thread=${thread_id}`)
      await row(page, /answer/).waitFor()
      const isFocused = (what: string) =>
        page.evaluate<boolean>(`(() => { const at = document.activeElement; return ${what} })()`)
      const tabTo = async (what: string) => {
        for (let step = 0; step < 80; step += 1) {
          if (await isFocused(what)) return
          await page.keyboard.press('Tab')
        }
        throw new Error(`Tab does not lead to where ${what}`)
      }
      await tabTo("at.getAttribute('role') === 'listbox'")
      for (const [key, name] of Object.entries({ Home: /answer/, ArrowDown: /plan/, j: /think/ })) {
        await page.keyboard.press(key)
        await page.getByRole('option', { name, selected: true }).waitFor()
      }
      await tabTo("at.textContent === 'Fork from here'")
      await page.keyboard.press('Enter')
      await page.getByRole('textbox', { name: 'State' }).waitFor()
      await visitor.pictures('studio-fork')
      expect(await visitor.faults()).toEqual([])
      await tabTo("at.getAttribute('aria-label') === 'State'")
      const { values } = before.find(({ next }) => next[0] === 'plan') ?? {}
      const [message] = values?.messages ?? []
      const wanted = {
        messages: [{ ...message, content: 'coffee' }],
        topic: 'coffee',
        trail: ['by hand'],
      }
      await page.keyboard.press('Control+a')
      await page.keyboard.insertText(JSON.stringify(wanted))
      await tabTo("at.textContent === 'Fork and run on'")
      await page.keyboard.press('Enter')
      const branches = page.getByRole('navigation', { name: 'Branches' })
      await branches.getByRole('button', { name: /Branch 2/ }).waitFor()
      await page.getByRole('option', { name: /answer/, selected: true }).waitFor()
      await changes(page).getByText('About coffee.').waitFor()

      const [now] = await historyOf(thread_id)
      expect(now?.values).toMatchObject({
        messages: [{ content: 'coffee' }, { content: 'About coffee.' }],
        topic: 'coffee',
        trail: ['by hand', 'answer'],
        draft: 'coffee, in short',
      })
      await visitor.pictures('studio-branches')
      expect(await visitor.faults()).toEqual([])

      await branches.getByRole('button', { name: /Original/ }).click()
      await page.waitForURL((url) =>
        url.search.includes(`checkpoint=${before[0]?.checkpoint.checkpoint_id}`),
      )
      await changes(page).getByText('About tea.').waitFor()
      expect(await rows(page).count()).toBe(before.length)
      await branches.getByRole('button', { name: /Branch 2/ }).click()
      await changes(page).getByText('About coffee.').waitFor()
    },
    BROWSER_MS,
  )

  test(
    'forks within a subgraph: where the thread waits, and where the subgraph keeps its history',
    async () => {
      const begun = async (assistant: string) => {
        const { thread_id } = await client.threads.create()
        await client.runs.wait(thread_id, assistant, { input: { topic: 'tea' } })
        return thread_id
      }
      const resume = (thread: string, assistant: string) =>
        client.runs.wait(thread, assistant, { command: { resume: 'yes' } })
      const isAsking = async (thread: string) => {
        const { status } = await client.threads.get(thread)
        return status === 'interrupted' && (await client.runs.list(thread)).length
      }
      const forkFrom = async (page: Page) => {
        const next = page.getByRole('region', { name: 'Next', exact: true })
        await next.getByText('Steps of its subgraph').click()
        await next.getByText(/Step 1 · sketch/).click()
        return next.getByRole('button', { name: 'Fork from this step' })
      }
      const write = async (page: Page) => {
        await (await forkFrom(page)).click()
        const editor = page.getByRole('textbox', { name: 'State' })
        await editor.click()
        await page.keyboard.press('Control+a')
        await page.keyboard.insertText('{"topic": "tea", "draft": "by hand"}')
        await visitor.pictures('studio-subgraph-fork')
        await page.getByRole('button', { name: 'Fork and run on' }).click()
      }

      const waiting = await begun('inherits')
      const page = await visitor.open(`/studio/inherits?thread=${waiting}&show=tasks`)
      await write(page)
      await expect.poll(() => isAsking(waiting)).toBe(2)
      expect(await resume(waiting, 'inherits')).toMatchObject({
        draft: 'by hand, polished, signed',
      })
      const stepOf = async (thread: string) => {
        const [first] = (await historyOf(thread)).filter(({ next: after }) => after[0] === 'work')
        return first?.checkpoint.checkpoint_id
      }
      await visitor.open(
        `/studio/inherits?thread=${waiting}&show=tasks&checkpoint=${await stepOf(waiting)}`,
      )
      expect(await (await forkFrom(page)).count()).toBe(0)

      const over = await begun('keeps')
      expect(await resume(over, 'keeps')).toMatchObject({
        draft: 'tea, sketched, polished, signed',
      })
      await visitor.open(`/studio/keeps?thread=${over}&show=tasks&checkpoint=${await stepOf(over)}`)
      await write(page)
      await expect.poll(() => isAsking(over)).toBe(3)
      expect(await resume(over, 'keeps')).toMatchObject({ draft: 'by hand, polished, signed' })
    },
    BROWSER_MS,
  )

  test(
    'says why a state is not taken',
    async () => {
      const { thread_id } = await talked()
      const page = await visitor.open(`/studio/talk?thread=${thread_id}&fork=true`)
      const editor = page.getByRole('textbox', { name: 'State' })
      await editor.click()
      await page.keyboard.press('Control+a')
      await page.keyboard.insertText('{"messages": []')
      await page.getByText('This is no JSON object yet.').waitFor()
      expect(await page.getByRole('button', { name: 'Fork only' }).isDisabled()).toBe(true)
      await page.keyboard.insertText('}')
      await page.getByRole('button', { name: 'Fork only' }).click()
      await page.getByRole('alert').getByText('"topic" cannot be taken out of the state.').waitFor()
      expect(await historyOf(thread_id)).toHaveLength(5)
    },
    BROWSER_MS,
  )

  test(
    'marks the step at which a run failed',
    async () => {
      const { thread_id } = await client.threads.create()
      const config = { recursion_limit: 3 }
      const run = await client.runs.create(thread_id, 'count', { input: { to: 9 }, config })
      await client.runs.join(thread_id, run.run_id)
      const page = await visitor.open(`/studio/count?thread=${thread_id}`)
      await page.getByRole('option', { name: /^Failed Step \d/, selected: true }).waitFor()
      expect(await page.getByRole('option', { name: /Failed/ }).count()).toBe(1)
    },
    BROWSER_MS,
  )

  test(
    'replays from a checkpoint beside what followed it',
    async () => {
      const { thread_id } = await talked()
      const page = await visitor.open(`/studio/talk?thread=${thread_id}`)
      await row(page, /plan/).click()
      await page.getByRole('option', { name: /plan/, selected: true }).waitFor()
      await page.getByRole('button', { name: 'Replay', exact: true }).click()
      const branches = page.getByRole('navigation', { name: 'Branches' })
      await branches.getByRole('button', { name: /Branch 2 from step 2/ }).waitFor()
      await row(page, /Replayed/).waitFor()
      await page.getByRole('option', { name: /answer/, selected: true }).waitFor()
      const history = await historyOf(thread_id)
      expect(history.map(({ metadata }) => metadata?.source).slice(0, 2)).toEqual(['loop', 'fork'])
    },
    BROWSER_MS,
  )

  test(
    'makes an assistant by its schema, changes it, and goes back to a version',
    async () => {
      const page = await visitor.open('/studio/talk')
      await page.getByPlaceholder('Say something').waitFor()
      await page.getByRole('button', { name: /Choose an assistant/ }).click()
      await page.getByRole('menuitem', { name: 'New assistant' }).click()
      await page.getByRole('textbox', { name: /^Name/ }).fill('Loud one')
      await page.getByRole('button', { name: /Tone/ }).click()
      await page.getByRole('option', { name: 'loud' }).click()
      await visitor.pictures('studio-assistant')
      expect(await visitor.faults()).toEqual([])
      await page.getByRole('button', { name: 'Create the assistant' }).click()
      await page.getByRole('button', { name: /Loud one/ }).waitFor()
      const [made] = await client.assistants.search({ graphId: 'talk', limit: 1 })
      expect(made).toMatchObject({ name: 'Loud one', context: { tone: 'loud' }, version: 1 })
      const id = made?.assistant_id ?? ''
      await page.waitForURL((url) => url.pathname.endsWith(`/studio/${id}`))
      await page.getByPlaceholder('Say something').fill('rain')
      await page.keyboard.press('Enter')
      await changes(page).getByText('ABOUT RAIN.').waitFor()

      await page.getByRole('button', { name: /Choose an assistant/ }).click()
      await page.getByRole('menuitem', { name: 'Settings and versions of Loud one' }).click()
      await page.getByRole('button', { name: /Tone/ }).click()
      await page.getByRole('option', { name: 'plain' }).click()
      await page.getByRole('button', { name: 'Save as a new version' }).click()
      await page.getByText('Version 2 in force', { exact: true }).waitFor()
      expect(await client.assistants.get(id)).toMatchObject({
        context: { tone: 'plain' },
        version: 2,
      })
      await page.getByRole('button', { name: 'Versions', exact: true }).click()
      await page.getByRole('button', { name: /^v1/ }).click()
      const shown = page.getByRole('region', { name: 'Version 1' })
      await shown.getByText('tone:').waitFor()
      expect((await shown.innerText()).replaceAll(/\s+/g, ' ')).toContain('tone:plainloud')
      await visitor.pictures('studio-versions')
      expect(await visitor.faults()).toEqual([])
      await page.reload()
      await page.getByRole('button', { name: 'Put version 1 in force' }).click()
      await page.getByText('Version 1 in force', { exact: true }).waitFor()
      expect(await client.assistants.get(id)).toMatchObject({
        context: { tone: 'loud' },
        version: 1,
      })
      await page.getByRole('button', { name: 'Settings', exact: true }).click()
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByLabel('Type Loud one to go on').fill('Loud one')
      await page.getByRole('button', { name: 'Delete the assistant' }).click()
      await page.waitForURL((url) => url.pathname.endsWith('/studio/talk'))
      expect(await client.assistants.search({ graphId: 'talk' })).toHaveLength(1)
    },
    BROWSER_MS,
  )

  test(
    'compares two runs: times, tokens, messages and what differs',
    async () => {
      const loud = await client.assistants.create({
        graphId: 'talk',
        name: 'Loud',
        context: { tone: 'loud' },
      })
      const { thread_id, run_id } = await talked()
      const page = await visitor.open(`/studio/talk?thread=${thread_id}`)
      await page.getByRole('link', { name: 'Compare' }).click()
      const right = page.getByRole('region', { name: 'Right' })
      await right.getByRole('button', { name: /With the assistant/ }).click()
      await page.getByRole('option', { name: 'Loud (talk), v1' }).click()
      await right.getByRole('button', { name: 'Run it' }).click()
      await right.getByText('Done').waitFor()
      await page.getByText('ABOUT TEA.', { exact: true }).waitFor()
      await page.getByText('About tea.', { exact: true }).waitFor()
      await page.getByText('Beside messages, both states are the same.').waitFor()
      expect(await right.innerText()).toMatch(/Tokens\s+12/)
      await visitor.pictures('studio-compare')
      expect(await visitor.faults()).toEqual([])
      const other = await talked('milk', loud.assistant_id)
      await visitor.open(
        `/studio/talk/compare?left=${thread_id}/run/${run_id}&right=${other.thread_id}/run/${other.run_id}`,
      )
      await page.getByText('topic:').waitFor()
      await page.getByText('teamilk', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Swap sides' }).click()
      await page.getByText('milktea', { exact: true }).waitFor()
      await page.goto('about:blank')
      await client.assistants.delete(loud.assistant_id)
    },
    BROWSER_MS,
  )

  test(
    'finds the thread to compare with among the latest, or by its id',
    async () => {
      const [tea, milk] = [await talked('tea with lemon'), await talked('milk and honey')]
      const page = await visitor.open(`/studio/talk/compare?left=${tea.thread_id}`)
      const right = page.getByRole('region', { name: 'Right' })
      const field = right.getByRole('combobox', { name: 'Thread' })
      await right.getByText('“tea with lemon”').waitFor()
      await right
        .getByRole('button', { name: /Thread/ })
        .first()
        .click()
      await row(page, 'tea with lemon').first().waitFor()
      await row(page, 'milk and honey').first().waitFor()
      await visitor.pictures('studio-compare-threads')
      await field.fill('honey milk')
      await row(page, 'tea with lemon').first().waitFor({ state: 'detached' })
      await row(page, 'milk and honey').first().click()
      expect(await visitor.faults()).toEqual([])
      expect(await field.inputValue()).toBe(milk.thread_id)
      await right.getByRole('button', { name: 'Show it here' }).click()
      await right.getByText('A thread as it is now').waitFor()
      await expect.poll(() => page.url()).toContain(milk.thread_id)

      await right.getByRole('button', { name: 'Choose another' }).click()
      await field.fill(` ${tea.thread_id} `)
      await field.press('Tab')
      await right.getByText('“tea with lemon”').waitFor()
      await right.getByRole('button', { name: /At$/ }).click()
      await page.getByRole('option', { name: /^Run .* Done/ }).click()
      await right.getByRole('button', { name: 'Show it here' }).click()
      await right.getByText('A run', { exact: true }).waitFor()
      await expect.poll(() => decodeURIComponent(page.url())).toContain(`/run/${tea.run_id}`)
    },
    BROWSER_MS,
  )

  test(
    'stays usable with a thousand checkpoints',
    async () => {
      const { thread_id } = await client.threads.create()
      const ballast = 'x'.repeat(10_000)
      await client.runs.wait(thread_id, 'count', {
        input: { to: 1_000, ballast },
        config: { recursion_limit: 1_100 },
      })
      const page = await visitor.open(`/studio/count?thread=${thread_id}`)
      await page.getByRole('option', { name: /Step 1000/, selected: true }).waitFor()
      const listbox = page.getByRole('listbox', { name: 'Checkpoints' })
      await listbox.focus()
      const toTheEnd = async () => {
        await page.keyboard.press('End')
        return page.getByRole('option', { name: /Input/, selected: true }).isVisible()
      }
      await expect.poll(toTheEnd, { interval: 100, timeout: 120_000 }).toBe(true)
      expect(await rows(page).count()).toBeLessThan(60)
      const link = page.url()
      await page.goto('about:blank')
      await page.goto(link)
      await page.getByRole('option', { name: /Input/, selected: true }).waitFor()
    },
    BROWSER_MS,
  )
})
