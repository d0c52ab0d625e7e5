import { expect, it } from 'vitest'
import { merge, type Reported, table } from '../../bench/report.ts'

const aResult = (change: Partial<Reported>): Reported => ({
  name: 'runs',
  title: 'runs/s',
  unit: 'runs/s',
  figure: 123.4,
  floorName: 'bare',
  floor: 1234,
  ratio: 0.1,
  figures: [123.4],
  floors: [1234],
  at: '2026-01-01T00:00:00.000Z',
  load: 0.25,
  node: 'v24.0.0',
  machine: '2 × a processor',
  ...change,
})

it('keeps what rows gave that were not measured this time', () => {
  const at = '2026-02-02T00:00:00.000Z'
  const before = [
    aResult({}),
    aResult({ floorName: 'barer' }),
    aResult({ name: 'join p50' }),
    aResult({ name: 'wake' }),
  ]
  const measured = [aResult({ at }), aResult({ name: 'join p50', at })]
  expect(merge(before, measured)).toEqual([before[3], ...measured])
})

it('shows a line for each result', () => {
  expect(table([aResult({}), aResult({ name: 'join p50', unit: 'ms', figure: 1.234 })])).toEqual([
    'Node v24.0.0, 2 × a processor',
    'row       figure      against  floor        ratio  load',
    'runs      123 runs/s  bare     1234 runs/s  0.100  0.3 ',
    'join p50  1.23 ms     bare     1234 ms      0.100  0.3 ',
  ])
})
