import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { AppError } from '../core/errors.ts'
import { isOpen, parseAgentRoute, rootRoute } from './route.ts'

describe('parseAgentRoute', () => {
  it.each([
    ['/agents/support/threads', 'support', '/threads'],
    ['/agents/support', 'support', '/'],
    ['/agents/support/', 'support', '/'],
    ['/agents/support?limit=1', 'support', '/?limit=1'],
    [
      '/agents/a-1_b/store/x%2Fy%20z?q=%2e%2e/../&b=\\',
      'a-1_b',
      '/store/x%2Fy%20z?q=%2e%2e/../&b=\\',
    ],
    ['/agents/support//double', 'support', '//double'],
    ['http://runyard.example/agents/support/ok?x', 'support', '/ok?x'],
  ])('takes %s apart and keeps the rest byte for byte', (target, name, path) => {
    expect(parseAgentRoute(target)).toEqual({ name, path, prefix: `/agents/${name}` })
  })

  it.each(['/', '/v2/deployments', '/agents', '/agents?x=1', '/agentsx/a', '//agents/a/ok', '*'])(
    'leaves %s to the control plane',
    (target) => expect(parseAgentRoute(target)).toBeUndefined(),
  )

  it.each([
    '/agents/',
    '/agents//ok',
    '/agents/Support/ok',
    '/agents/%61bc/ok',
    '/agents/../v2',
    '/agents/-a',
  ])('finds no deployment in %s', (target) =>
    expect(codeOf(() => parseAgentRoute(target))).toBe('not_found'),
  )

  it.each([
    '/agents/a/../b/ok',
    '/agents/a/ui/%2e%2e/threads',
    '/agents/a/ui/%2E./threads',
    '/agents/a/ui/..%2fthreads',
    '/agents/a/ui/.%5c..',
    '/agents/a/ui\\..\\threads',
    '/agents/a/.',
    '/agents/a/ok#/../threads',
  ])('refuses %s, which somebody could read as another path', (target) =>
    expect(codeOf(() => parseAgentRoute(target))).toBe('bad_request'),
  )
})

it('leads nobody to what only the runtime driver asks for', () => {
  const target = '/agents/a/internal/runtime?x'
  expect(codeOf(() => parseAgentRoute(target))).toBe('not_found')
})

describe('rootRoute', () => {
  it.each([
    ['/threads?limit=1', '/threads?limit=1'],
    ['/agents/a/ok', '/agents/a/ok'],
    ['http://runyard.example?x', '/?x'],
    ['*', '/*'],
  ])('takes %s as it is', (target, path) => {
    expect(rootRoute(target, 'dev')).toEqual({ name: 'dev', path, prefix: '' })
  })

  it('refuses what somebody could read as another path', () =>
    expect(codeOf(() => rootRoute('/ui/../threads', 'dev'))).toBe('bad_request'))
})

describe('isOpen', () => {
  it.each([
    ['GET', '/ok', true],
    ['HEAD', '/ok', true],
    ['GET', '/info?x=1', true],
    ['GET', '/ui/agent/entry.js', true],
    ['POST', '/ui/agent', false],
    ['GET', '/ui', false],
    ['GET', '/ok/', false],
    ['GET', '//ok', false],
    ['GET', '/threads?path=/ok', false],
    ['OPTIONS', '/threads', false],
  ])('%s %s: %s', (method, path, expected) => {
    const req = { method, headers: {} } as IncomingMessage
    expect(isOpen(req, { name: 'a', path, prefix: '/agents/a' })).toBe(expected)
  })

  it('lets preflights through', () => {
    const headers = { 'access-control-request-method': 'POST' }
    const req = { method: 'OPTIONS', headers } as unknown as IncomingMessage
    expect(isOpen(req, { name: 'a', path: '/threads', prefix: '' })).toBe(true)
  })
})

function codeOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
  return 'nothing thrown'
}
