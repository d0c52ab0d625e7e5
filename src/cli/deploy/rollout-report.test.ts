import { createServer } from 'node:http'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { ControlPlaneClient, type Deployment } from '../../../client/src/client.ts'
import { close, listen } from '../../http/listen.ts'
import { reportRollout } from './rollout-report.ts'

const said: string[] = []
beforeEach(() => {
  said.length = 0
  // What it says is what this is about.
  vi.spyOn(console, 'error').mockImplementation((line: string) => void said.push(line))
})
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = 0
})

/** A control plane whose only revision has failed, with these lines in the log of its build. */
async function report(
  status_message: string,
  lines: string[],
  { isBuildShown = true, isAwayFirst = false } = {},
): Promise<void> {
  const logs = lines.map((message, id) => ({ id: String(id), message }))
  let isRead = false
  let isAway = isAwayFirst
  const server = createServer((request, response) => {
    request.resume()
    if (isAway) {
      isAway = false
      request.socket.destroy()
      return
    }
    const isLog = request.url?.endsWith('/build_logs')
    const body = isLog
      ? { logs: isRead ? [] : logs }
      : { number: 1, status: 'BUILD_FAILED', status_message }
    isRead ||= isLog === true
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(body))
  })
  const url = await listen(server, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => close(server))
  const client = new ControlPlaneClient({ url, apiKey: 'x' })
  const deployment = { id: 'd', name: 'a', latest_revision_id: 'r' } as Deployment & {
    latest_revision_id: string
  }
  await reportRollout(client, { deployment, isJson: false, isAwaited: true, isBuildShown })
}

const count = (text: string) => said.join('\n').split(text).length - 1

it('shows the end of a build log once, and the reason with what was not shown', async () => {
  await report('install: npm ci ended with 1\nnpm error 404\nnot in the log', ['npm error 404'])
  expect(count('npm error 404')).toBe(1)
  expect(said.at(-1)).toBe(
    'BUILD_FAILED: install: npm ci ended with 1\nnot in the log\n' +
      '"runyard logs a --build" prints the log of its build.',
  )
  expect(process.exitCode).toBe(1)
})

it('shows it with the reason where the log is not shown', async () => {
  await report('install: npm ci ended with 1\nnpm error 404', ['npm error 404'], {
    isBuildShown: false,
  })
  expect(count('npm error 404')).toBe(1)
})

it('watches a rollout to its end when the control plane was away at the first look', async () => {
  await report('install: npm ci ended with 1', [], { isAwayFirst: true })
  expect(said[0]).toBe('Revision r of a.')
  expect(said.at(-1)).toMatch(/^BUILD_FAILED: install: npm ci ended with 1\n/)
})
