/** What `auth.cache`, `auth.openapi` and `http.logging_headers` of `langgraph.json` come to. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../../src/telemetry/log.ts'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'

let server: RunningAgentServer
const lines: string[] = []

beforeAll(async () => {
  const log = createLog('debug', { write: (line) => void lines.push(line) })
  server = await startAgentServer({ projectName: 'owned', configName: 'settings.json', log })
})
afterAll(() => server.stop())

const get = (headers: Record<string, string>, path = '/assistants/agent') =>
  fetch(server.url + path, { headers })

test('a caller is remembered by the headers that the project names', async () => {
  expect((await get({ 'x-user': 'a' })).status).toBe(401)
  expect((await get({ 'x-user': 'a', authorization: 'Bearer nobody' })).status).toBe(403)
  // The user is known now, and may do as little as before.
  expect((await get({ 'x-user': 'a' })).status).toBe(403)
  expect((await get({ 'x-user': 'b' })).status).toBe(401)
  expect((await get({})).status).toBe(401)
})

test('the description says how callers identify themselves', async () => {
  const document = (await (
    await get({ authorization: 'Bearer alice' }, '/openapi.json')
  ).json()) as {
    components: { securitySchemes: object; schemas: object }
    security: object[]
    paths: Record<string, Record<string, { security?: object[] }>>
  }
  expect(Object.keys(document.components.securitySchemes)).toEqual(['OAuth2'])
  expect(document.components.schemas).toHaveProperty('Thread')
  expect(document.security).toEqual([{ OAuth2: ['me'] }])
  expect(document.paths['/threads/search']?.post?.security).toEqual([])
  expect(document.paths['/threads']?.post).not.toHaveProperty('security')
  expect(document.paths).not.toHaveProperty('/nowhere')
})

test('the log shows the headers that the project names, and no credentials', async () => {
  await get({
    authorization: 'Bearer alice',
    cookie: 'session=of-alice',
    'user-agent': 'a browser',
    'x-api-key': 'the-key-of-alice',
    'x-private': 'of-alice',
    'x-shop': 'north',
    accept: 'text/plain',
  })
  const line = lines.findLast((one) => one.includes('answered a request')) ?? ''
  expect(JSON.parse(line).headers).toEqual({ 'user-agent': 'a browser', 'x-shop': 'north' })
  expect(lines.join('')).not.toContain('of-alice')
})
