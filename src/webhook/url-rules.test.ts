import { describe, expect, it } from 'vitest'
import { parseIpRange } from '../core/network/ip-range.ts'
import { destinationOf, type UrlRules } from './url-rules.ts'

const RULES: UrlRules = {
  allowedDomains: [],
  allowedPorts: [],
  isHttpsRequired: false,
  isLocalRefused: false,
  isPrivateRefused: false,
  maxLength: 2_048,
  allowedAddresses: [],
}
const check = (text: string, change: Partial<UrlRules> = {}) =>
  destinationOf(text, { ...RULES, ...change })

describe('a webhook goes', () => {
  it.each(['https://a.example/x?y=1', 'http://a.example:8080', 'https://1.1.1.1/', 'HTTP://A.B/'])(
    'to %s',
    (text) => {
      expect(check(text)).toEqual({ kind: 'remote', url: new URL(text) })
    },
  )

  it('to a path of this server', () => {
    expect(check('/hooks/done?x=1')).toEqual({ kind: 'local', path: '/hooks/done?x=1' })
  })

  it('to addresses that the operator allows', () => {
    const allowedAddresses = parseIpRange('loopback') ?? []
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      expect(check(`http://${host}/`, { allowedAddresses })).toMatchObject({ kind: 'remote' })
    }
  })
})

describe('a webhook is refused', () => {
  it.each([
    ['what is no URL', 'not a url', {}],
    ['other schemes', 'ftp://a.example/', {}],
    ['files', 'file:///etc/passwd', {}],
    ['another server behind two slashes', '//a.example/x', {}],
    ['another server behind a backslash', '/\\a.example/x', {}],
    ['a password', 'https://u:p@a.example/', {}],
    ['what is too long', `https://a.example/${'x'.repeat(2_048)}`, {}],
    ['plain http where https is asked for', 'http://a.example/', { isHttpsRequired: true }],
    ['a foreign domain', 'https://b.example/', { allowedDomains: ['a.example'] }],
    ['the top of a wildcard', 'https://a.example/', { allowedDomains: ['*.a.example'] }],
    ['a name that only ends alike', 'https://evila.example/', { allowedDomains: ['*.a.example'] }],
    ['a foreign port', 'https://a.example:8443/', { allowedPorts: [443] }],
    ['paths where they are switched off', '/x', { isLocalRefused: true }],
    ['loopback', 'http://127.0.0.1/', {}],
    ['loopback by name', 'http://localhost:3000/', {}],
    ['loopback below a name', 'http://x.localhost/', {}],
    ['loopback in IPv6', 'http://[::1]/', {}],
    ['loopback as one number', 'http://2130706433/', {}],
    ['loopback in octal', 'http://0177.0.0.1/', {}],
    ['loopback in IPv6 clothes', 'http://[::ffff:127.0.0.1]/', {}],
    ['private addresses', 'http://10.0.0.1/', {}],
    ['metadata services', 'http://169.254.169.254/latest/meta-data', {}],
  ])('for %s', (_what, text, change) => {
    expect(check(text, change)).toEqual({ problem: expect.any(String) })
  })

  it('but not for the domains and ports that are allowed', () => {
    const change = { allowedDomains: ['*.A.example', 'b.example'], allowedPorts: [443] }
    expect(check('https://x.a.example/', change)).toMatchObject({ kind: 'remote' })
    expect(check('https://b.example/', change)).toMatchObject({ kind: 'remote' })
  })
})
