import { describe, expect, it } from 'vitest'
import { cookiesAtRoot, cookiesBelowPrefix } from './shared-origin.ts'

const prefix = '/agents/shop'
const below = (values: string[], sent?: string) => cookiesBelowPrefix(values, { prefix, sent })

describe('a cookie of an agent below /agents/', () => {
  it.each([
    ['a=1', 'a=1; Path=/agents/shop'],
    ['a=1; Path=/', 'a=1; Path=/agents/shop'],
    ['a=1;path = /agents/other;PATH=/', 'a=1; Path=/agents/shop'],
    ['a=1; Domain=example.com; HttpOnly', 'a=1; HttpOnly; Path=/agents/shop'],
    [
      'a="x y"; SameSite=Lax; Secure; Max-Age=60',
      'a="x y"; SameSite=Lax; Secure; Max-Age=60; Path=/agents/shop',
    ],
    ['__Secure-a=1; Secure; Path=/', '__Secure-a=1; Secure; Path=/agents/shop'],
    ['a=; ; Partitioned', 'a=; Partitioned; Path=/agents/shop'],
  ])('%s is for its own path, and no other host', (value, expected) => {
    expect(below([value])).toEqual([expected])
  })

  it.each([
    'runyard_session=x',
    'runyard_session_8124=x; Path=/',
    ' __Host-runyard_session=x; Secure; Path=/',
    '=runyard_session=x',
    'runyard_session',
    '__Host-a=1; Secure; Path=/',
    '__HOST-a=1; Secure; Path=/',
    '__Host-Http-a=1; Secure; HttpOnly; Path=/',
  ])('%s is left out', (value) => {
    expect(below([value])).toEqual([])
  })

  it('is left out where it would be more than a request may bring', () => {
    const bomb = Array.from({ length: 20 }, (_, i) => `bomb${i}=${'x'.repeat(3500)}; Path=/`)
    expect(below(bomb)).toHaveLength(2)
    expect(below([`a=${'x'.repeat(5000)}`])).toEqual([])
    const small = Array.from({ length: 40 }, (_, i) => `small${i}=1`)
    expect(below(small)).toHaveLength(20)
  })

  it('counts together with those that the browser has', () => {
    const sent = Array.from({ length: 20 }, (_, i) => `small${i}=1`).join('; ')
    expect(below(['more=1'], sent)).toEqual([])
    expect(below(['small3=2'], sent)).toEqual(['small3=2; Path=/agents/shop'])
    expect(below([`small3=${'x'.repeat(4000)}`], `big=${'x'.repeat(5000)}; small3=1`)).toEqual([])
    expect(below(['more=1'], `${sent.slice('small0=1; '.length)}; runyard_session=x`)).toHaveLength(
      1,
    )
  })

  it('may always be taken back', () => {
    const sent = Array.from({ length: 30 }, (_, i) => `small${i}=1`).join('; ')
    const removals = ['small3=; Max-Age=0', 'small4=; Expires=Thu, 01 Jan 1970 00:00:00 GMT']
    expect(below(removals, sent)).toHaveLength(2)
  })
})

describe('a cookie of an agent at a host of its own', () => {
  const isShared = (domain: string) => domain === 'example.com'

  it.each([
    ['a=1; Path=/x; Domain=shop.test', 'a=1; Path=/x; Domain=shop.test'],
    ['__Host-a=1; Secure; Path=/', '__Host-a=1; Secure; Path=/'],
    ['a=1; Domain=.EXAMPLE.com; Path=/', 'a=1; Path=/'],
  ])('%s goes on as far as no other host is reached', (value, expected) => {
    expect(cookiesAtRoot([value], isShared)).toEqual([expected])
  })
})
