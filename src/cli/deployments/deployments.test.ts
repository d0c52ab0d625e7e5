import { createServer } from 'node:http'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { close, listen } from '../../http/listen.ts'
import { deploymentsCommand } from './deployments.ts'

afterEach(() => vi.restoreAllMocks())

it('lists a deployment that was deleted meanwhile without a serving revision', async () => {
  const printed: string[] = []
  // What it prints is what this is about.
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
  const resources = ['kept', 'deleted'].map((name) => ({
    ...{ id: name, name, status: 'READY', active_revision_id: 'r', source_config: {} },
    created_at: '2026-01-01T00:00:00.000Z',
  }))
  const server = createServer((request, response) => {
    const [, , , id] = new URL(request.url ?? '', 'http://any').pathname.split('/')
    response.statusCode = id === 'deleted' ? 404 : 200
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(id === undefined ? { resources, offset: 0 } : { number: 3 }))
  })
  const url = await listen(server, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => close(server))
  await deploymentsCommand().parseAsync(['--url', url, '--api-key', 'x'], { from: 'user' })
  const lines = printed.join('\n').split('\n')
  expect(lines.find((line) => line.startsWith('kept'))).toContain('#3')
  expect(lines.find((line) => line.startsWith('deleted'))).toMatch(/READY +- /)
})
