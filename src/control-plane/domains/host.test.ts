import { describe, expect, it } from 'vitest'
import { canonicalHost, readHost } from './host.ts'

const OWN = {
  urls: ['https://runyard.example.com:8443', 'http://10.0.0.7:8124'],
  domain: 'run.test',
}

describe('readHost', () => {
  it.each([
    ['agents.example.com', 'agents.example.com'],
    ['Agents.EXAMPLE.com.', 'agents.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['1.2.3.4.example', '1.2.3.4.example'],
    ['below.runyard.example.com', 'below.runyard.example.com'],
    ['otherrun.test', 'otherrun.test'],
  ])('takes %s as %s', (sent, host) => expect(readHost(sent, OWN)).toBe(host))

  it.each([
    ['https://agents.example.com', 'scheme'],
    ['agents.example.com/x', 'path'],
    ['agents.example.com?x', 'path'],
    ['agents.example.com\\x', 'path'],
    ['agents.example.com:443', 'port'],
    ['127.0.0.1', 'an address'],
    ['::1', 'an address'],
    ['[2001:db8::1]', 'an address'],
    ['0x7f.1', 'an address'],
    ['2130706433', 'an address'],
    ['*.example.com', 'wildcard'],
    ['a b.example.com', 'no host name'],
    ['me@example.com', 'no host name'],
    ['a%2eexample.com', 'no host name'],
    ['', 'no host name'],
    ['.', 'no host name'],
    ['a..example.com', 'no host name'],
    ['-a.example.com', 'no host name'],
    ['a_b.example.com', 'no host name'],
    [`${'a'.repeat(64)}.example.com`, 'no host name'],
    [`${'a.'.repeat(127)}com`, 'no host name'],
    ['localhost', 'this machine'],
    ['agents.localhost', 'this machine'],
    ['agents', 'no dot'],
    ['printer.local', 'ends in ".local"'],
    ['agents.corp.internal', 'ends in ".internal"'],
    ['local', 'ends in ".local"'],
    ['runyard.example.com', 'Runyard itself'],
    ['RUNYARD.example.com.', 'Runyard itself'],
    ['run.test', 'RUNYARD_DOMAIN'],
    ['support.run.test', 'RUNYARD_DOMAIN'],
  ])('refuses %s: %s', (sent, why) => {
    expect(() => readHost(sent, OWN)).toThrow(expect.objectContaining({ code: 'bad_request' }))
    expect(() => readHost(sent, OWN)).toThrow(new RegExp(`^host: .*${why}`))
  })
})

it('finds a host in every way to write it', () => {
  const sent = ['bücher.example', 'BÜCHER.example.', 'xn--bcher-kva.example']
  expect(new Set(sent.map(canonicalHost))).toEqual(new Set(['xn--bcher-kva.example']))
})
