import { expect, it } from 'vitest'
import { containerLimits } from './limits.ts'

it('takes the limits, else twice what is reserved, else those of the original', () => {
  const both = { memory_mb: 512, memory_limit_mb: 700, cpu: 1, cpu_limit: 3 }
  expect(containerLimits(both)).toMatchObject({ memoryMb: 700, host: { CpuQuota: 300_000 } })
  expect(containerLimits({ memory_mb: 512, cpu: 0.1 })).toMatchObject({
    ...{ memoryMb: 1024, host: { Memory: 2 ** 30, MemorySwap: 2 ** 30, CpuQuota: 20_000 } },
  })
  expect(containerLimits(null)).toMatchObject({ memoryMb: 2048, host: { CpuQuota: 200_000 } })
})

it('never leaves memory without a limit, as 0 would', () => {
  expect(containerLimits({ memory_limit_mb: 0 }).host.Memory).toBe(64 * 2 ** 20)
})
