/** The parts that the vault's operations use. */
import type { ControlPlaneParts } from '../control-plane-parts.ts'

export type OAuthParts = Pick<
  ControlPlaneParts,
  'store' | 'clock' | 'log' | 'publicUrl' | 'authenticate' | 'vault'
>
