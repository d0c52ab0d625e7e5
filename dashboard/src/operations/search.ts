/** The search parameters of the operations page. */
import { z } from 'zod'
import { addressText } from '../shell/address.ts'

export const RANGES = { '1h': 1, '6h': 6, '24h': 24 } as const
export type RangeName = keyof typeof RANGES

export const operationsSearch = z.object({
  range: z.enum(['1h', '6h', '24h']).default('1h').catch('1h'),
  /** The deployment of the charts; absent: all of the workspace. */
  deployment: addressText,
  sort: addressText,
})
