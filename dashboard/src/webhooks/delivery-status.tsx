import type { WebhookDelivery as Delivery } from '@runyard/client'
import { Status, type Tone } from '../design/status.tsx'
import type { DeliveryStatus } from './queries.ts'

const MEANINGS: Record<DeliveryStatus, { word: string; tone: Tone }> = {
  pending: { word: 'Pending', tone: 'wait' },
  delivered: { word: 'Delivered', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
}

export function DeliveryStatusMark({ delivery }: { delivery: Delivery }) {
  const { status, attempt } = delivery
  const isRetried = status === 'pending' && attempt > 0
  const { word, tone } = MEANINGS[status]
  return <Status tone={tone}>{isRetried ? 'Retrying' : word}</Status>
}
