/** The parts that the vault's operations use. */
import type { ControlPlaneParts } from '../parts.ts'

export type OAuthParts = Pick<
  ControlPlaneParts,
  'store' | 'clock' | 'log' | 'publicUrl' | 'authenticate' | 'vault'
>
