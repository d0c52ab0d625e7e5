/** The Studio of `runyard serve`, from the sign-in through each of its pages, in a real browser. */
import { Client } from '@langchain/langgraph-sdk'
import { describe, expect, test } from 'vitest'
import { NO_BROWSER } from '../support/dashboard/browser.ts'
import { startStudio } from '../support/dashboard/dashboard.ts'
import { forAllTests } from '../support/running.ts'

const skipped = NO_BROWSER ? ` (skipped: ${NO_BROWSER})` : ''
const KEY = 'the-key-of-the-studio'
const ANN = { authorization: 'Bearer token-of-ann' }

describe.skipIf(NO_BROWSER)(`the Studio of serve${skipped}`, () => {
  const studio = forAllTests(() => startStudio('auth', { RUNYARD_API_KEYS: KEY }))

  test('a person signs in, tells the project who they are, and each page answers', async () => {
    const client = new Client({ apiUrl: studio.example.url, apiKey: null, defaultHeaders: ANN })
    const { thread_id } = await client.threads.create()
    // The project shows everyone what is theirs alone.
    const diary = { graphId: 'diary', name: 'Diary of Ann' }
    const { assistant_id } = await client.assistants.create(diary)
    const input = { entry: 'It rained.' }
    const { run_id } = await client.runs.create(thread_id, 'diary', { input })
    await client.runs.join(thread_id, run_id)
    await client.crons.create('diary', { schedule: '0 8 * * *', input })
    await client.store.putItem(['likes'], 'tea', { green: true })

    const visitor = await studio.stranger()
    visitor.expect(/: 401$/)
    const page = await visitor.open('/threads')
    await page.getByLabel('API key').fill(KEY)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Send a token that is known.').waitFor()
    await visitor.pictures('serve-headers')
    expect(await visitor.faults()).toEqual([])
    const headers = page.getByLabel('Headers, one a line')
    await headers.fill('Bearer token-of-ann')
    await page.getByText('Write each as name: value.').waitFor()
    await headers.fill(`authorization: ${ANN.authorization}`)
    await page.getByRole('button', { name: 'Go on' }).click()
    // The graph's own assistant has no owner, so Ann cannot read it: hers of the same graph stands in for it.
    visitor.expect(/\/assistants\/[^/]+(\/schemas)?: 404$/)
    const list = page.getByRole('grid', { name: 'Threads' })
    await list.getByText('Idle').click()
    await page.waitForURL(`${studio.url}/threads/${thread_id}`)
    await page.getByText('ann: It rained.').first().waitFor()
    await page.getByRole('grid', { name: 'Runs' }).getByText('Done').click()
    await page.waitForURL(`${studio.url}/threads/${thread_id}/runs/${run_id}`)
    await page.getByRole('listbox', { name: 'Where the time went' }).getByText('write').waitFor()
    await page.getByRole('region', { name: 'Events' }).getByText('metadata').waitFor()

    const places = page.getByRole('navigation', { name: 'Places' })
    const shown = { Runs: 'Done', Crons: 'At 08:00', Store: 'tea', Studio: 'Diary of Ann' }
    for (const [place, text] of Object.entries(shown)) {
      await places.getByRole('link', { name: place }).click()
      await page.getByRole('grid').getByText(text).first().waitFor()
      await visitor.pictures(`serve-${place.toLowerCase()}`)
      expect([place, await visitor.faults()]).toEqual([place, []])
    }
    await visitor.open(`/threads/${thread_id}`)
    await page.getByRole('link', { name: 'Open in Studio' }).click()
    await page.waitForURL(`${studio.url}/studio/${assistant_id}?thread=${thread_id}`)
    await page.getByText('ann: It rained.').first().waitFor()
    expect(visitor.problems).toEqual([])

    await page.getByRole('button', { name: 'Signed in as developer' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('API key').waitFor()
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('token-of-ann')
    await visitor.leave()
  })
})
