import { describe, expect, it } from 'vitest'
import { checkRepoUrl, isFileUrl, withoutCredentials } from './repo-url.ts'

describe('a repo_url', () => {
  it.each([
    'https://github.com/acme/agent.git',
    'https://token@github.com/acme/agent',
    'https://[::1]:8443/agent',
    'ssh://git@github.com:22/acme/agent.git',
    'git://example.org/agent',
    'git@github.com:acme/agent.git',
  ])('may be %s', (url) => {
    expect(() => checkRepoUrl(url, false)).not.toThrow()
  })

  it.each([
    '',
    'agent',
    '/srv/agent.git',
    './agent',
    'http://github.com/acme/agent',
    'HTTP://github.com/acme/agent',
    'ext::sh -c date',
    'fd::7',
    '--upload-pack=date',
    '-oProxyCommand=date@host:path',
    'git@-oProxyCommand=date:path',
    'git@host:-path',
    'git@host:',
    'git@host://path',
    'ssh://-oProxyCommand=date/path',
    'ssh://git@-oProxyCommand=date/path',
    'ftp://example.org/agent',
    'https://',
    'https://example.org/a b',
    'file://example.org/agent',
    'file://',
  ])('may not be %j, whoever asks', (url) => {
    expect(() => checkRepoUrl(url, true)).toThrow(expect.objectContaining({ code: 'bad_request' }))
  })

  it('may be a file:// one for admins only', () => {
    expect(() => checkRepoUrl('file:///srv/agent.git', true)).not.toThrow()
    for (const url of ['file:///srv/agent.git', 'FILE:///srv/agent.git']) {
      expect(() => checkRepoUrl(url, false)).toThrow(expect.objectContaining({ code: 'forbidden' }))
    }
  })

  it('is told apart from a file:// one', () => {
    expect(isFileUrl('file:///srv/agent.git')).toBe(true)
    expect(isFileUrl('https://example.org/agent')).toBe(false)
    expect(isFileUrl(null)).toBe(false)
  })

  it('loses its credentials and nothing else', () => {
    expect(withoutCredentials('https://me:word@example.org/a@b')).toBe('https://example.org/a@b')
    expect(withoutCredentials('https://example.org/a@b')).toBe('https://example.org/a@b')
    expect(withoutCredentials('git@github.com:acme/agent')).toBe('git@github.com:acme/agent')
  })
})
