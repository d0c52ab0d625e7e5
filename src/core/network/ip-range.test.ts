import { describe, expect, it } from 'vitest'
import { isInRange, isPublic, parseIpRange } from './ip-range.ts'

describe('an address is public', () => {
  it.each(['93.184.215.14', '1.1.1.1', '2606:4700:4700::1111', '::ffff:1.1.1.1'])(
    '%s is',
    (address) => {
      expect(isPublic(address)).toBe(true)
    },
  )

  it.each([
    ...['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1'],
    ...['10.0.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd00:ec2::254'],
    ...['169.254.169.254', '::ffff:169.254.169.254', 'fe80::1', '100.100.100.200'],
    ...['168.63.129.16', '0.0.0.0', '0.1.2.3', '::', '255.255.255.255', '224.0.0.1', 'ff02::1'],
    ...['64:ff9b::7f00:1', '2002:7f00:1::', '2001:0:7f00:1::', '240.0.0.1', '198.18.0.1'],
  ])('%s is not', (address) => {
    expect(isPublic(address)).toBe(false)
  })
})

describe('a range', () => {
  it.each([
    ['loopback', '127.0.0.1', true],
    ['loopback', '::1', true],
    ['loopback', '::ffff:127.0.0.1', true],
    ['loopback', '10.0.0.1', false],
    ['private', '10.0.0.1', true],
    ['private', 'fd00::1', true],
    ['private', '169.254.169.254', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3', '10.1.2.4', false],
    ['10.0.0.0/8', '10.255.0.1', true],
    ['fe80::/10', 'fe80::1', true],
  ])('%s has %s: %s', (text, address, expected) => {
    expect(isInRange(address, parseIpRange(text) ?? [])).toBe(expected)
  })

  it.each(['', 'all', '10', '10.0.0.0/33', 'example.com', '10.0.0.0/8 '])(
    '"%s" is none',
    (text) => {
      expect(parseIpRange(text)).toBeUndefined()
    },
  )
})
