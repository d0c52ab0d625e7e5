import type { WebhookDelivery as Delivery, WebhookDeliveryWithPayload } from '@runyard/client'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { askAgent } from '../api/agent-request.ts'
import type { AgentServer } from '../api/agent-server.tsx'
import { readAgain } from '../api/read-again.ts'
import { toast, toastError } from '../design/toast.tsx'
import type { Ask } from '../shell/row-pages.ts'

export const DELIVERY_STATUSES = [
  'pending',
  'delivered',
  'failed',
] as const satisfies Delivery['status'][]
export type DeliveryStatus = Delivery['status']

export const PAGE_SIZE = 50
export function deliveriesQuery(
  server: AgentServer,
  { status, ask }: { status: DeliveryStatus | undefined; ask: Ask },
) {
  return queryOptions({
    queryKey: [server.key, 'deliveries', status ?? 'all', ask.limit, ask.offset],
    queryFn: (context) => {
      const query = new URLSearchParams({
        limit: String(ask.limit),
        offset: String(ask.offset),
        ...(status && { status }),
      })
      return readAgain(server, context, (asked) =>
        askAgent<Delivery[]>(asked, 'GET', `/webhooks/deliveries?${query}`),
      )
    },
    refetchInterval: 5_000,
  })
}

export function deliveryQuery(server: AgentServer, id: string) {
  return queryOptions({
    queryKey: [server.key, 'deliveries', 'one', id],
    queryFn: (context) =>
      readAgain(server, context, (asked) =>
        askAgent<WebhookDeliveryWithPayload>(asked, 'GET', `/webhooks/deliveries/${id}`),
      ),
    refetchInterval: 5_000,
  })
}

export function useRedeliver(server: AgentServer) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ delivery_id }: Delivery) =>
      askAgent<Delivery>(server, 'POST', `/webhooks/deliveries/${delivery_id}/redeliver`),
    onSuccess: () => toast('Sent again.'),
    onError: toastError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [server.key, 'deliveries'] }),
  })
}
