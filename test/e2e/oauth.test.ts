/** The OAuth vault with its official client, with a browser, deployed, and killed at a bad moment. */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ControlPlaneClient } from '../../client/src/client.ts'
import { deployFolder } from '../../src/cli/deploy/deploy-folder.ts'
import { NO_BROWSER, startBrowser } from '../support/dashboard/browser.ts'
import { installPython, NO_PYTHON } from '../support/hosts/python.ts'
import { exampleEnvironment, runOAuthExample } from '../support/oauth/oauth-example.ts'
import { startOAuthProvider } from '../support/oauth/oauth-provider.ts'
import { Person } from '../support/oauth/person.ts'
import { startRunyard } from '../support/processes/runyard.ts'
import { forAllTests, forEachTest } from '../support/running.ts'

const root = resolve(import.meta.dirname, '../..')
const skippedPython = NO_PYTHON ? ` (skipped: ${NO_PYTHON})` : ''
const skippedBrowser = NO_BROWSER ? ` (skipped: ${NO_BROWSER})` : ''

const acme = forEachTest(() => startOAuthProvider({ isRotating: false }))
const runyard = forEachTest(() => startRunyard({ env: { RUNYARD_OAUTH_ALLOW: 'loopback' } }))

function providerRequest(slug = 'acme') {
  return acme.clientFor(`${runyard.url}/v2/auth/callback/${slug}`, { provider_id: slug })
}

async function ask(provider = 'acme') {
  const request = { provider, scopes: ['openid', 'read'], user_id: 'anna' }
  const { body } = await runyard.call('POST', '/v2/auth/authenticate', request)
  return body as { status: string; url: string; token: string }
}

describe.skipIf(NO_PYTHON)(`langchain-auth${skippedPython}`, () => {
  let python: string
  beforeAll(async () => {
    python = await installPython()
  }, 300_000)

  it('makes every call it has', async () => {
    const request = providerRequest()
    const { provider_id, name, client_id, client_secret, auth_url, token_url, uses_pkce } = request
    const known = { provider_id, name, client_id, client_secret, auth_url, token_url, uses_pkce }
    const script = resolve(root, 'test/peer/python/langchain_auth_calls.py')
    const child = spawn(python, [script, runyard.url, runyard.adminKey, JSON.stringify(known)])
    let [output, errors] = ['', '']
    let consent: Promise<unknown> | undefined
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      errors += chunk
      const link = /^Open (\S+)$/m.exec(errors)?.[1]
      if (link) consent ??= new Person('anna').consent(link)
    })
    const code = await new Promise((settle) => child.once('close', settle))
    await consent
    expect({ code, errors: code === 0 ? '' : errors }).toEqual({ code: 0, errors: '' })
    expect(JSON.parse(output)).toEqual({
      created: 'acme',
      same: true,
      updated: 'Acme of ours',
      listed: ['acme'],
      pending: 'pending',
      exists: [false, true, false],
      late: expect.stringContaining('timed out'),
      same_token: true,
      completed: 'completed',
      revoked: { message: 'Deleted 1 token.', provider_id: 'acme' },
      deleted: 'Provider deleted',
    })
  }, 300_000)
})

describe.skipIf(NO_BROWSER)(`a person with a browser${skippedBrowser}`, () => {
  const browser = forAllTests(startBrowser)

  it.each(['light', 'dark'] as const)(
    'logs in, says no, then yes, and reads so: %s',
    async (scheme) => {
      await runyard.call('POST', '/v2/auth/providers', providerRequest())
      const page = await browser.newPage({ colorScheme: scheme })
      const problems: string[] = []
      page.on('console', (message) => problems.push(message.text()))
      page.on('pageerror', (error) => problems.push(String(error)))
      await page.goto((await ask()).url)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.fill('[name=login]', 'anna')
      await page.fill('[name=password]', 'secret')
      await page.click('[type=submit]')
      problems.length = 0
      await page.click('a[href$="/abort"]')
      await page.getByRole('heading', { name: 'Nothing was connected' }).waitFor()
      await page.getByRole('link', { name: 'Try again' }).click()
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.waitForURL(`${acme.url}/**`)
      await page.locator('[type=submit]').waitFor()
      problems.length = 0
      await page.click('[type=submit]')
      await page.getByRole('heading', { name: 'Acme is connected' }).waitFor()
      const background = await page.evaluate<string>(
        'getComputedStyle(document.body).backgroundColor',
      )
      const [red = 0] = background.match(/\d+/g)?.map(Number) ?? []
      expect(red > 128).toBe(scheme === 'light')
      expect(problems).toEqual([])
      expect(await ask()).toMatchObject({ status: 'completed' })
      await page.reload()
      await page.getByRole('heading', { name: 'This link was used already' }).waitFor()
      await page.close()
    },
    300_000,
  )
})

it('an agent that is deployed asks with a key of the deployment, and no other', async () => {
  await runyard.call('POST', '/v2/auth/providers', providerRequest('github'))
  const client = new ControlPlaneClient({ url: runyard.url, apiKey: runyard.adminKey })
  const { signal } = new AbortController()
  const secrets = Object.entries(exampleEnvironment(acme)).map(([name, value]) => ({ name, value }))
  const folder = resolve(root, 'examples/oauth')
  const revision = await deployFolder(client, { folder, name: 'account', secrets, signal })
  expect(revision).toMatchObject({ status: 'DEPLOYED' })
  const address = `${runyard.url}/agents/account`
  expect(await runOAuthExample(address)).toContain('Ann is octocat')
  const { body: audit } = await runyard.call('GET', '/v2/audit-log?action=oauth_token')
  const [read] = (audit as { items: { actor_id: string; detail: unknown }[] }).items
  expect(read).toMatchObject({ actor_name: 'agents of account', detail: { end_user_id: 'ann' } })
  expect(read?.actor_id).toMatch(/^deployment:/)
  // Not the admin's: another caller's tokens are nobody else's.
  expect((await runyard.call('GET', '/v2/auth/tokens')).body).toEqual([])
}, 300_000)
