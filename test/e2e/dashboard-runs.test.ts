/** Runs and threads in the dashboard, in a real browser against a real deployment. */
import { Client } from '@langchain/langgraph-sdk'
import type { Locator } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { NO_BROWSER } from '../support/dashboard/browser.ts'
import { startDashboard } from '../support/dashboard/dashboard.ts'
import type { DashboardVisitor } from '../support/dashboard/dashboard-visitor.ts'
import { eventually } from '../support/eventually.ts'
import { forAllTests } from '../support/running.ts'

const skipped = NO_BROWSER ? ` (skipped: ${NO_BROWSER})` : ''

describe.skipIf(NO_BROWSER)(`runs and threads in the dashboard${skipped}`, () => {
  let client: Client
  let visitor: DashboardVisitor
  let deployment: string
  const dashboard = forAllTests(startDashboard)
  beforeAll(async () => {
    await dashboard.deploy('weather', 'test/fixtures/projects/echo')
    const found = await dashboard.client.findDeployment('weather')
    deployment = `/deployments/${found?.id}`
    const { url, runyard } = dashboard
    client = new Client({ apiUrl: `${url}/agents/weather`, apiKey: runyard.adminKey })
  })
  beforeEach(async () => {
    visitor = await dashboard.visitor()
  })
  afterEach(async () => {
    const { problems } = visitor
    await visitor.leave()
    expect(problems).toEqual([])
  })

  const start = async (graph: string, input: Record<string, unknown>, metadata = {}) => {
    const { thread_id } = await client.threads.create({ metadata })
    const config = { recursion_limit: 2_000 }
    return client.runs.create(thread_id, graph, {
      input,
      metadata,
      config,
      streamMode: ['updates'],
    })
  }
  const finish = async (graph: string, input: Record<string, unknown>, metadata = {}) => {
    const run = await start(graph, input, metadata)
    await client.runs.join(run.thread_id, run.run_id)
    return run
  }
  const human = (content: string) => ({ messages: [{ role: 'user', content }] })
  const rows = (list: Locator) => list.getByRole('rowgroup').last().getByRole('row')

  test('a run shows where its time went, as its timeline has it, and what went in and came out', async () => {
    const { thread_id, run_id } = await finish('tools', human('What is the weather in Paris?'))
    const page = await visitor.open(`${deployment}/threads/${thread_id}/runs/${run_id}`)
    const waterfall = page.getByRole('listbox', { name: 'Where the time went' })
    await waterfall.waitFor()
    const path = `/agents/weather/threads/${thread_id}/runs/${run_id}/timeline`
    const headers = { 'x-api-key': dashboard.runyard.adminKey }
    const answer = await fetch(dashboard.url + path, { headers })
    const timeline = (await answer.json()) as {
      spans: { span_id: string; kind: string; name: string }[]
      checkpoints: object[]
    }
    const bars = waterfall.getByRole('option')
    await eventually(() => bars.count()).toBe(timeline.spans.length + 1)
    const told = (await bars.allTextContents()).map((one) =>
      one.replace(/[·\d.]+ ?(ms|s|min).*$/, '').trim(),
    )
    for (const [at, { name }] of timeline.spans.entries()) {
      expect(told[at + 1]?.startsWith(name)).toBe(true)
    }
    const ticks = page.getByRole('link', { name: /^Open the checkpoint of step/ })
    await eventually(() => ticks.count()).toBe(timeline.checkpoints.length)

    await waterfall.getByRole('option').first().focus()
    const toolAt = timeline.spans.findIndex(({ kind }) => kind === 'tool')
    for (let at = 0; at <= toolAt; at += 1) await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const tool = await fetch(`${dashboard.url}${path}/${timeline.spans[toolAt]?.span_id}`, {
      headers,
    })
    const { input } = (await tool.json()) as { input: string }
    await page
      .getByRole('region', { name: 'Input' })
      .getByText(`"${cityIn(input)}"`)
      .waitFor()
    await page.getByRole('region', { name: 'Output' }).getByText('content').waitFor()
    await eventually(() => page.url()).toContain('bar=')
    await page.getByText(/^Over · /).waitFor()
    await page.getByRole('region', { name: 'Events' }).getByText('metadata').first().waitFor()
    await visitor.pictures('run')
    expect(await visitor.faults()).toEqual([])
    await waterfall
      .getByRole('option', { name: /^agent/ })
      .first()
      .click()
    await page.getByRole('region', { name: 'State before' }).getByText('messages').waitFor()
    await page.getByRole('link', { name: 'Open in Studio at this step' }).click()
    await page.waitForURL(/studio\/.*thread=.*checkpoint=/)
  })

  test('a run begins with its input and output, and leads to the runs beside it', async () => {
    const first = await finish('agent', human('hello'))
    const { thread_id } = first
    const input = human('how are you?')
    const second = await client.runs.create(thread_id, 'agent', { input })
    await client.runs.join(thread_id, second.run_id)
    const page = await visitor.open(`${deployment}/threads/${thread_id}/runs/${second.run_id}`)
    const side = (name: string) => page.getByRole('region', { name, exact: true })
    await side('Input of the run').getByText('how are you?', { exact: true }).waitFor()
    await side('Output of the run').getByText('echo: how are you?', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'agent', exact: true }).waitFor()
    await side('Log of the run').or(page.getByText('Nothing was logged during this run.')).waitFor()
    await visitor.pictures('run-sides')
    expect(await visitor.faults()).toEqual([])
    await page.getByRole('link', { name: 'Previous run' }).click()
    await page.waitForURL(new RegExp(first.run_id))
    await side('Output of the run').getByText('echo: hello', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Next run' }).click()
    await page.waitForURL(new RegExp(second.run_id))

    await page.getByRole('button', { name: 'Run again' }).click()
    await page.waitForURL((url) => !url.href.includes(second.run_id))
    await side('Output of the run').getByText('echo: how are you?', { exact: true }).waitFor()
    const repeated = page.url().split('/threads/')[1]?.split('/')[0] ?? ''
    expect(repeated).not.toBe(thread_id)
    const contents = async (id: string) => {
      const { values } = await client.threads.getState<{ messages: { content: string }[] }>(id)
      return values.messages.map(({ content }) => content)
    }
    const said = ['hello', 'echo: hello', 'how are you?', 'echo: how are you?']
    expect(await contents(repeated)).toEqual(said)
    expect(await contents(thread_id)).toEqual(said)

    await page.getByRole('button', { name: 'With another input' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Input').fill(JSON.stringify(human('and you?')))
    await visitor.pictures('run-other-input')
    expect(await visitor.faults()).toEqual([])
    await dialog.getByRole('button', { name: 'Run', exact: true }).click()
    await side('Output of the run').getByText('echo: and you?', { exact: true }).waitFor()
  })

  test('a run that was cancelled before it began runs again from the state of its thread', async () => {
    const { thread_id } = await finish('agent', human('hello'))
    const { run_id } = await client.runs.create(thread_id, 'agent', {
      input: human('how are you?'),
      afterSeconds: 3_600,
      streamSubgraphs: true,
      durability: 'exit',
    })
    await client.runs.cancel(thread_id, run_id)
    const page = await visitor.open(`${deployment}/threads/${thread_id}/runs/${run_id}`)
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.waitForURL((url) => !url.href.includes(run_id))
    const output = page.getByRole('region', { name: 'Output of the run', exact: true })
    await output.getByText('echo: how are you?', { exact: true }).waitFor()
    const [, again = '', repeated = ''] = /threads\/([^/]+)\/runs\/([^/?]+)/.exec(page.url()) ?? []
    expect(again).not.toBe(thread_id)
    const { values } = await client.threads.getState<{ messages: unknown[] }>(again)
    expect(values.messages).toHaveLength(4)
    expect(await client.runs.get(again, repeated)).toMatchObject({
      kwargs: { stream_subgraphs: true, durability: 'exit' },
    })
  })

  test('a run that stopped to ask waits for an answer until it has one', async () => {
    const { thread_id, run_id } = await finish('ask', { question: 'Shall I?' })
    const path = `${deployment}/threads/${thread_id}/runs/${run_id}`
    const page = await visitor.open(path)
    const heading = page.getByRole('heading', { level: 1 })
    await heading.getByText('Waiting for an answer').waitFor()
    await page
      .getByRole('region', { name: 'Waiting for an answer' })
      .getByText('Shall I?')
      .waitFor()
    await visitor.pictures('run-asks')
    expect(await visitor.faults()).toEqual([])
    await page.getByRole('link', { name: 'Answer in Studio' }).click()
    await page.waitForURL(new RegExp(`/studio/.*thread=${thread_id}`))
    await visitor.open(`${deployment}/runs`)
    const list = page.getByRole('grid', { name: 'Runs' })
    const row = rows(list).filter({ hasText: 'Shall I?' })
    await row.getByText('Waiting for an answer').waitFor()
    const answer = await client.runs.create(thread_id, 'ask', { command: { resume: 'yes' } })
    await client.runs.join(thread_id, answer.run_id)
    await row.getByText('Done').waitFor()
    await visitor.open(path)
    await page.getByRole('region', { name: 'It asked' }).waitFor()
    await heading.getByText('Done').waitFor()
    await page.getByRole('link', { name: 'Next run' }).click()
    await page
      .getByRole('region', { name: 'Answer to the question' })
      .getByText('yes', { exact: true })
      .waitFor()
    await page.getByRole('region', { name: 'Output of the run' }).getByText('"yes"').waitFor()
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.waitForURL((url) => !url.href.includes(thread_id))
    await page.getByRole('region', { name: 'Output of the run' }).getByText('"yes"').waitFor()

    // Of the steps in the Studio's history, the one that waited for the answer has no duration.
    await visitor.open(`${deployment}/studio/ask?thread=${thread_id}`)
    const step = (name: string) => page.getByRole('option', { name: new RegExp(`${name}`) }).first()
    await step('prepare')
      .getByText(/^\d+ ms$|^[\d.]+ s$/)
      .waitFor()
    await step('ask').waitFor()
    expect(
      await step('ask')
        .getByText(/^\d+ ms$|^[\d.]+ s$/)
        .count(),
    ).toBe(0)
  })

  test('Ctrl-K finds what any id names', async () => {
    const { thread_id, run_id, assistant_id } = await finish('agent', human('hello'))
    const { cron_id } = (await client.crons.create('agent', {
      schedule: '0 9 * * *',
      input: human('hello'),
    })) as unknown as { cron_id: string }
    const { active_revision_id: revision } =
      (await dashboard.client.findDeployment('weather')) ?? {}
    const page = await visitor.open('/settings')
    const places = [
      ['Thread', thread_id, new RegExp(`${deployment}/threads/${thread_id}$`)],
      ['Run', run_id, new RegExp(`${deployment}/threads/${thread_id}/runs/${run_id}$`)],
      ['Assistant', assistant_id, new RegExp(`${deployment}/studio/${assistant_id}`)],
      ['Deployment', deployment.split('/')[2] ?? '', new RegExp(`${deployment}$`)],
      ['Revision', revision ?? '', new RegExp(`${deployment}/revisions/${revision}`)],
      ['Cron', cron_id, new RegExp(`/crons\\?.*${cron_id}`)],
    ] as const
    for (const [kind, id, address] of places) {
      await visitor.drawn()
      await page.keyboard.press('Control+k')
      const palette = page.getByRole('dialog', { name: 'Search or run a command' })
      await palette.getByRole('searchbox').fill(` ${id}`)
      await palette.getByRole('menuitem', { name: `${kind} ${id.slice(0, 8)}` }).waitFor()
      if (kind === 'Run') await visitor.pictures('palette-id')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.waitForURL(address)
    }
    await page.getByRole('dialog').waitFor()
  })

  test('a failed run says why, with the lines of its author first', async () => {
    const { thread_id, run_id } = await finish('fail', { reason: 'the moon is full' })
    const page = await visitor.open(`${deployment}/runs?status=error&error=moon`)
    const list = page.getByRole('grid', { name: 'Runs' })
    await rows(list).first().getByText('RangeError: the moon is full').waitFor()
    expect(await rows(list).count()).toBe(1)
    await rows(list).first().click()
    await page.waitForURL(new RegExp(`/threads/${thread_id}/runs/${run_id}`))
    const error = page.getByRole('region', { name: 'The error' })
    await error.getByText('the moon is full').waitFor()
    await error.getByText('In node fail').waitFor()
    await error.getByText(/more of packages/).waitFor()
    await visitor.pictures('run-failed')
    expect(await visitor.faults()).toEqual([])
    const [last] = await client.threads.getHistory(thread_id, { limit: 1 })
    await page.getByRole('link', { name: 'Open in Studio where it failed' }).click()
    await page.waitForURL(
      ({ pathname, searchParams }) =>
        pathname.includes('/studio/') &&
        searchParams.get('thread') === thread_id &&
        searchParams.get('checkpoint') === last?.checkpoint.checkpoint_id,
    )
    await page.getByRole('option', { name: /^Failed/, selected: true }).waitFor()
  })

  test('a run that goes on is followed, and can be ended', async () => {
    const { thread_id, run_id } = await start('slow', { label: 'a', count: 100, ms: 1_000 })
    const page = await visitor.open(`${deployment}/threads/${thread_id}/runs/${run_id}`)
    await page.getByText('Following').waitFor()
    const bars = page.getByRole('option', { name: /^step/ })
    await eventually(() => bars.count()).toBeGreaterThan(2)
    const events = page.getByRole('region', { name: 'Events' })
    await events.getByText('a:3').first().waitFor()
    await visitor.pictures('run-live')
    await Promise.all([
      page.getByText('The run will stop.').waitFor(),
      page.getByRole('button', { name: 'Cancel' }).click(),
    ])
    await page.getByText('Interrupted', { exact: true }).first().waitFor()
    await page.getByText(/^Over · /).waitFor()
  })

  test('runs of all deployments are found and chosen runs are ended', async () => {
    const queued = await Promise.all(
      ['one', 'two'].map((name) => start('slow', { count: 1_000, ms: 500 }, { name, batch: 7 })),
    )
    const page = await visitor.open('/runs')
    const list = page.getByRole('grid', { name: 'Runs' })
    await list.waitFor()
    await page.getByLabel('Metadata').fill('batch=7')
    await eventually(() => rows(list).count()).toBe(2)
    await visitor.pictures('runs')
    expect(await visitor.faults()).toEqual([])
    await rows(list).first().focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('j')
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Cancel 2 runs' }).click()
    for (const { thread_id, run_id } of queued) {
      await eventually(async () => (await client.runs.get(thread_id, run_id)).status).toBe(
        'interrupted',
      )
    }
  })

  test('threads are found by what they hold, and deleted with a word of what goes with them', async () => {
    const asking = await finish('ask', { question: 'Shall I send it?' }, { team: 'blue' })
    await finish('agent', human('A poem about tea'), { team: 'blue' })
    const page = await visitor.open(`${deployment}/runs?metadata=team%3Dblue`)
    const runs = page.getByRole('grid', { name: 'Runs' })
    await eventually(() => rows(runs).count()).toBe(2)
    const status = page.getByRole('button', { name: 'Status' })
    for (const [choice, words] of [
      ['Waiting for an answer', 'Shall I send it?'],
      ['Done', 'A poem about tea'],
    ] as const) {
      await status.click()
      await page.getByRole('option', { name: choice }).click()
      await eventually(() => rows(runs).count()).toBe(1)
      await rows(runs).getByText(words).first().waitFor()
    }
    await visitor.open(`${deployment}/threads?metadata=team%3Dblue`)
    const list = page.getByRole('grid', { name: 'Threads' })
    await eventually(() => rows(list).count()).toBe(2)
    await page.getByText('2 threads', { exact: true }).waitFor()
    await rows(list).getByText('echo: A poem about tea', { exact: true }).waitFor()
    const waiting = rows(list).filter({ hasText: 'Waiting for an answer' })
    await waiting.getByText('Shall I send it?').last().waitFor()
    await waiting.getByText('ask', { exact: true }).waitFor()
    await visitor.pictures('threads')
    expect(await visitor.faults()).toEqual([])
    await waiting.getByText('Waiting for an answer').click()
    await page.waitForURL(new RegExp(`/threads/${asking.thread_id}`))
    const question = page.getByRole('region', { name: 'Interrupt' })
    await question.getByText('Shall I send it?').waitFor()
    await visitor.pictures('thread')
    expect(await visitor.faults()).toEqual([])
    await page.getByRole('link', { name: 'Open in Studio' }).click()
    await page.getByRole('button', { name: 'New thread' }).waitFor()
    await page.goBack()
    await question.waitFor()
    await page.goBack()
    await eventually(() => list.getByRole('checkbox').count()).toBe(2)
    for (const box of await list.getByRole('checkbox').all()) await box.check()
    await page.getByRole('button', { name: 'Delete 2 threads' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('One waits for an answer.').waitFor()
    await dialog.getByLabel('Type 2 to go on').fill('2')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No thread is like that.').waitFor()
    expect(await client.threads.search({ metadata: { team: 'blue' } })).toEqual([])
  })

  test('threads and runs are found by words, in one deployment and in all', async () => {
    const asking = await finish('ask', { question: 'Is the kettle hot?' })
    await finish('agent', human('Where is the KETTLE?'), { kind: 'tea time' })
    const page = await visitor.open(`${deployment}/threads`)
    const list = page.getByRole('grid', { name: 'Threads' })
    const search = page.getByLabel('Words in a thread, or its id')
    await search.fill('kettle')
    await eventually(() => rows(list).count()).toBe(2)
    await search.fill('hot?')
    await eventually(() => rows(list).count()).toBe(1)
    await search.fill(asking.thread_id)
    await rows(list).getByText('Is the kettle hot?').last().waitFor()
    await search.fill('no such kettle')
    await page.getByText('No thread is like that.').waitFor()
    await search.fill('')
    const offered = () =>
      page.getByLabel('Metadata').evaluate((field) => {
        const { list } = field as unknown as { list: { options: Iterable<{ value: string }> } }
        return [...list.options].map(({ value }) => value)
      })
    await eventually(async () => (await offered()).includes('kind=tea time')).toBe(true)

    await visitor.open('/threads')
    await page.getByLabel('Words in a thread, or its id').fill('where is the kettle')
    await rows(list).getByText('weather').waitFor()
    await eventually(() => rows(list).count()).toBe(1)
    await visitor.pictures('all-threads')
    expect(await visitor.faults()).toEqual([])

    await visitor.open('/runs')
    await page.getByLabel('Words in a run, or its id').fill('kettle')
    const runs = page.getByRole('grid', { name: 'Runs' })
    await eventually(() => rows(runs).count()).toBe(2)
    await rows(runs).getByText('echo: Where is the KETTLE?').waitFor()
    await visitor.pictures('runs-words')
    expect(await visitor.faults()).toEqual([])
  })

  test('a search for words says how many threads it has looked at', async () => {
    // The echo doubles them: two of the three fit into the 16 MiB that are searched.
    const large = human(`The kettle ${'x'.repeat(3.2 * 1024 ** 2)}`)
    const found: string[] = []
    for (let at = 0; at < 3; at += 1)
      found.push((await finish('agent', large, { size: 'large' })).thread_id)
    const page = await visitor.open(`${deployment}/threads?metadata=size%3Dlarge&text=kettle`)
    await page.getByText('2 threads Only the latest 2 threads were searched.').waitFor()
    await page.getByLabel('Words in a thread, or its id').fill('no such')
    await page.getByText('No thread is like that.').waitFor()
    await page.getByText('Only the latest 2 threads were searched.').waitFor()
    expect(await visitor.faults()).toEqual([])
    for (const thread_id of found) await client.threads.delete(thread_id)
  })

  test('a thread is its conversation: its question is answered there, its state and runs beside it', async () => {
    const { thread_id } = await finish('ask', { question: 'May it start?' })
    const page = await visitor.open(`${deployment}/threads/${thread_id}`)
    const question = page.getByRole('region', { name: 'Interrupt' })
    await question.getByText('May it start?').waitFor()
    await question.getByPlaceholder('Your answer').fill('By all means')
    await question.getByRole('button', { name: 'Answer', exact: true }).click()
    const state = page.getByRole('region', { name: 'State', exact: true })
    await state.getByText('By all means').first().waitFor()
    const runs = page.getByRole('grid', { name: 'Runs' })
    await eventually(() => rows(runs).count()).toBe(2)
    await rows(runs).first().getByText('Done').waitFor()
    await rows(runs).last().getByText('May it start?').last().waitFor()
    await page.getByText('Idle', { exact: true }).waitFor()
    expect(await client.threads.getState(thread_id)).toMatchObject({
      values: { answer: 'By all means' },
    })

    const talk = await finish('agent', human('hello'))
    await visitor.open(`${deployment}/threads/${talk.thread_id}`)
    const messages = page.getByRole('region', { name: 'Messages' })
    await messages.getByText('echo: hello').waitFor()
    await page.getByRole('textbox', { name: 'Message' }).fill('And again')
    await page.keyboard.press('Enter')
    await messages.getByText('echo: And again').waitFor()
    await eventually(() => rows(runs).count()).toBe(2)
    await visitor.pictures('thread-talk')
    expect(await visitor.faults()).toEqual([])
  })

  test('of a project with an auth of its own are shown to who has signed in', async () => {
    await dashboard.deploy('owned', 'test/fixtures/projects/owned')
    const studio = new Client({
      apiUrl: `${dashboard.url}/agents/owned`,
      apiKey: dashboard.runyard.adminKey,
      defaultHeaders: { 'x-auth-scheme': 'langsmith' },
    })
    // Its handlers give everybody what they have made themselves.
    const { thread_id } = await studio.threads.create()
    const owned = await dashboard.client.findDeployment('owned')
    const page = await visitor.open(`/deployments/${owned?.id}/threads`)
    await page
      .getByRole('row')
      .filter({ hasText: thread_id.slice(0, 8) })
      .waitFor()
  })
})

/** What the tool `weather` was asked. */
function cityIn(input: string): string {
  return (JSON.parse(input) as { city: string }).city
}
