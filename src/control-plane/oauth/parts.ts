/** What the vault's verbs work with. */
import type { ControlPlaneParts } from '../parts.ts'

export type OAuthParts = Pick<
  ControlPlaneParts,
  'store' | 'clock' | 'log' | 'publicUrl' | 'authenticate' | 'vault'
>
