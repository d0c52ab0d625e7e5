/** What every store of figures must do. */
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../src/core/deployment/control-plane-store.ts'
import { EMPTY_SAMPLE, type Sample } from '../../src/core/figures/sample.ts'

export function testFiguresStore(open: () => ControlPlaneStore): void {
  const aSample = (at: number, change: Partial<Sample> = {}, deployment_id = 'd1') => ({
    ...{ deployment_id, at },
    sample: { ...EMPTY_SAMPLE, seconds: 30, ...change },
  })
  const always = { from: 0, to: 10 ** 15 }

  describe('figures', () => {
    it('are answered as they were noted, in the order of time, of one deployment', async () => {
      const { figures } = open()
      const extremes = { count: 3, min: 0.25, max: 4000 }
      const durations = { counts: { '0.5': 2, '+Inf': 1 }, sum: 4000.5, extremes }
      const full = aSample(60_000, { durations, runs: { success: 3 }, cpu_seconds: 0.25 })
      await figures.add([full, aSample(30_000), aSample(30_000, {}, 'd2'), aSample(90_000, {}, '')])
      expect(await figures.list('d1', always)).toEqual([aSample(30_000), full])
      expect(await figures.list('', always)).toEqual([aSample(90_000, {}, '')])
      expect(await figures.list('d1', { from: 60_000, to: 90_000 })).toEqual([full])
      expect(await figures.list('d1', { from: 0, to: 60_000 })).toEqual([aSample(30_000)])
    })

    it('are noted once for each moment', async () => {
      const { figures } = open()
      await figures.add([aSample(30_000, { waiting: 1 })])
      await figures.add([aSample(30_000, { waiting: 2 }), aSample(60_000)])
      expect(await figures.list('d1', always)).toEqual([
        aSample(30_000, { waiting: 1 }),
        aSample(60_000),
      ])
    })

    it('are forgotten when they are old, however many there are', async () => {
      const { figures } = open()
      await figures.add([])
      await figures.add(Array.from({ length: 150 }, (_, i) => aSample(i * 1000)))
      expect(await figures.expire(100_000)).toBe(100)
      const left = await figures.list('d1', always)
      expect(left.map(({ at }) => at / 1000)).toEqual(Array.from({ length: 50 }, (_, i) => 100 + i))
    })
  })
}
