import { beforeEach, describe, expect, it } from 'vitest'
import { SkippingClock } from '../../../test/support/control-plane/control-plane.ts'
import { startDnsServer } from '../../../test/support/gateway/dns-server.ts'
import { forEachTest } from '../../../test/support/running.ts'
import { DnsStates } from './dns.ts'

const HOME = 'runyard.example.com'
const V6 = '2001:0db8:0000:0000:0000:0000:0000:0007'

let states: DnsStates
let clock: SkippingClock

const server = forEachTest(startDnsServer)
beforeEach(async () => {
  clock = new SkippingClock()
  states = new DnsStates({ clock, servers: [server.address], limitMs: 5000 })
  server.records.set(HOME, { A: ['10.0.0.1', '10.0.0.2'], AAAA: [V6] })
})

describe('a host', () => {
  it.each([
    ['points_here', { A: ['10.0.0.2'] }],
    ['points_here', { AAAA: [V6] }],
    ['points_here', { A: ['10.9.9.9'], CNAME: HOME }],
    ['elsewhere', { A: ['10.0.0.3'] }],
    ['elsewhere', { A: ['10.0.0.3'], CNAME: 'other.example.com' }],
    ['unresolved', {}],
  ])('is %s with %o', async (state, records) => {
    server.records.set('a.example.com', records)
    expect(await states.stateOf('a.example.com', HOME)).toBe(state)
  })

  it('is unresolved where there is none', async () => {
    expect(await states.stateOf('none.example.com', HOME)).toBe('unresolved')
  })

  it('points to an address, where home has no name', async () => {
    server.records.set('a.example.com', { A: ['10.0.0.7'] })
    expect(await states.stateOf('a.example.com', '10.0.0.7')).toBe('points_here')
    expect(await states.stateOf('a.example.com', '10.0.0.8')).toBe('elsewhere')
  })

  it('is unknown where nobody answers, or where home is not known', async () => {
    server.records.set('a.example.com', { A: ['10.0.0.7'] })
    server.records.set('slow.example.com', 'silent')
    const hasty = new DnsStates({ clock, servers: [server.address], limitMs: 50 })
    expect(await hasty.stateOf('slow.example.com', HOME)).toBe('unknown')
    expect(await states.stateOf('a.example.com', 'none.example.com')).toBe('unknown')
    expect(await states.stateOf('a.example.com', null)).toBe('unknown')
  })

  it('has texts, in one piece each, looked up anew each time', async () => {
    const long = 'x'.repeat(300)
    server.records.set('_runyard.a.example.com', { TXT: ['a', long] })
    expect(await states.textsOf('_runyard.a.example.com')).toEqual(['a', long])
    server.records.set('_runyard.a.example.com', { TXT: ['b'] })
    expect(await states.textsOf('_runyard.a.example.com')).toEqual(['b'])
    expect(await states.textsOf('_runyard.none.example.com')).toEqual([])
    server.records.set('_runyard.slow.example.com', 'silent')
    const hasty = new DnsStates({ clock, servers: [server.address], limitMs: 50 })
    expect(await hasty.textsOf('_runyard.slow.example.com')).toBeNull()
  })

  it('is looked up once for all who ask soon, and again later', async () => {
    server.records.set('a.example.com', { A: ['10.0.0.3'] })
    const ask = () => states.stateOf('a.example.com', HOME)
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(Array(3).fill('elsewhere'))
    const questions = server.asked.length
    server.records.set('a.example.com', { A: ['10.0.0.1'] })
    expect(await ask()).toBe('elsewhere')
    expect(server.asked).toHaveLength(questions)
    clock.skip(16_000)
    expect(await ask()).toBe('points_here')
  })
})
