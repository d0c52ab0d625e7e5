import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isSigned, isTracked, readPush } from './event.ts'

const BEFORE = 'a'.repeat(40)
const AFTER = 'b'.repeat(40)
const NONE = '0'.repeat(40)
const OF_GITHUB = { 'x-github-event': 'push' }

const push = (more: object = {}) =>
  JSON.stringify({
    ref: 'refs/heads/main',
    before: BEFORE,
    after: AFTER,
    repository: { default_branch: 'main' },
    ...more,
  })

describe('a push', () => {
  const read = { ref: 'refs/heads/main', commit: AFTER, default_branch: 'main' }

  it('is read in GitHub’s form, also where it comes as a form', () => {
    expect(readPush(OF_GITHUB, push())).toEqual(read)
    const form = new URLSearchParams({ payload: push() }).toString()
    expect(readPush(OF_GITHUB, form)).toEqual(read)
  })

  it('is read in GitLab’s form', () => {
    const body = push({ repository: undefined, project: { default_branch: 'main' } })
    expect(readPush({ 'x-gitlab-event': 'Push Hook' }, body)).toEqual(read)
  })

  it.each([
    ['pong', { 'x-github-event': 'ping' }, '{}', 'ping is no push'],
    ['no event', {}, push(), 'no event is no push'],
    ['a tag', OF_GITHUB, push({ ref: 'refs/tags/main' }), 'refs/tags/main is no branch'],
    ['a new branch', OF_GITHUB, push({ before: NONE }), 'refs/heads/main was made or deleted'],
    ['a deleted branch', OF_GITHUB, push({ after: NONE }), 'refs/heads/main was made or deleted'],
    ['nonsense', OF_GITHUB, 'nonsense', 'the body is no push'],
    ['an empty list', OF_GITHUB, '[]', 'the body is no push'],
    ['no commit', OF_GITHUB, push({ after: 'HEAD' }), 'the body is no push'],
  ])('is none where it is %s, which is said', (_what, headers, body, reason) => {
    expect(readPush(headers, body)).toEqual({ reason: expect.stringContaining(reason) })
  })
})

describe('a signature', () => {
  const body = push()
  const signed = (text: string, secret: string) => {
    const hex = createHmac('sha256', secret).update(text).digest('hex')
    return { 'x-hub-signature-256': `sha256=${hex}` }
  }

  it('is of this body and by this secret', () => {
    expect(isSigned(signed(body, 'secret'), body, 'secret')).toBe(true)
    expect(isSigned(signed(body, 'other'), body, 'secret')).toBe(false)
    expect(isSigned(signed(push({ after: BEFORE }), 'secret'), body, 'secret')).toBe(false)
  })

  it('is with GitLab the secret itself, which helps nobody whose signature is wrong', () => {
    const token = { 'x-gitlab-token': 'secret' }
    expect(isSigned(token, body, 'secret')).toBe(true)
    expect(isSigned({ 'x-gitlab-token': 'guess' }, body, 'secret')).toBe(false)
    expect(isSigned({ ...token, 'x-hub-signature-256': '' }, body, 'secret')).toBe(false)
    expect(isSigned({}, body, 'secret')).toBe(false)
  })
})

describe('a pushed branch', () => {
  const onMain = { ref: 'refs/heads/main', commit: AFTER, default_branch: 'main' }

  it('is tracked by its short and by its whole name', () => {
    expect(isTracked(onMain, 'main')).toBe(true)
    expect(isTracked(onMain, 'refs/heads/main')).toBe(true)
    expect(isTracked(onMain, 'other')).toBe(false)
    expect(isTracked({ ...onMain, ref: 'refs/heads/feature/main' }, 'main')).toBe(false)
  })

  it('is tracked without a name where it is the default branch', () => {
    expect(isTracked(onMain, null)).toBe(true)
    expect(isTracked({ ...onMain, default_branch: 'trunk' }, null)).toBe(false)
    expect(isTracked({ ...onMain, default_branch: undefined }, null)).toBe(false)
  })
})
