/** One delivery: the request, the response, and a retry. */
import { useQuery } from '@tanstack/react-query'
import type { AgentServer } from '../api/agent-server.tsx'
import { Button } from '../design/button.tsx'
import { Actions, Dialog } from '../design/dialog.tsx'
import { RotateCw } from '../design/icon.gen.tsx'
import { JsonView } from '../design/json/view.tsx'
import { Facts, TextLink } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { Id } from '../design/text/id.tsx'
import { Time } from '../design/text/time.tsx'
import { Talks } from '../shell/talks.tsx'
import { DeliveryStatusMark } from './delivery-status.tsx'
import { deliveryQuery, useRedeliver } from './queries.ts'

export function DeliveryDialog(props: { server: AgentServer; id: string; onClose: () => void }) {
  const { server, id, onClose } = props
  const query = useQuery(deliveryQuery(server, id))
  const redeliver = useRedeliver(server)
  return (
    <Dialog title="Delivery" size="wide" isOpen onClose={onClose}>
      <QueryView query={query} what="the delivery">
        {(delivery) => (
          <>
            <Facts
              facts={[
                ['Status', <DeliveryStatusMark key="s" delivery={delivery} />],
                ['To', <code key="u">{delivery.url}</code>],
                ['Attempts', delivery.attempt],
                ['Response', delivery.response_status ?? 'None'],
                ...(delivery.error ? ([['Error', delivery.error]] as const) : []),
                ...(delivery.status === 'pending' && delivery.next_attempt_at
                  ? ([['Next attempt', <Time key="n" at={delivery.next_attempt_at} />]] as const)
                  : []),
                [
                  'Run',
                  <TextLink key="r" to={server.pages.run(delivery.thread_id, delivery.run_id)}>
                    {delivery.run_id}
                  </TextLink>,
                ],
                ['webhook-id', <Id key="i" id={delivery.delivery_id} />],
                ['Created', <Time key="m" at={delivery.created_at} />],
              ]}
            />
            <h3 className="mt-5 mb-1 font-medium">Body</h3>
            <div className="max-h-96 overflow-y-auto">
              <JsonView value={delivery.payload} />
            </div>
            <Talks>
              <Actions>
                <Button
                  icon={<RotateCw size={14} />}
                  isPending={redeliver.isPending}
                  onPress={() => redeliver.mutate(delivery)}
                >
                  Send again
                </Button>
              </Actions>
            </Talks>
          </>
        )}
      </QueryView>
    </Dialog>
  )
}
