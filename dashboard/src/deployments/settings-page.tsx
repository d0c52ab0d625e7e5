import { useQuery } from '@tanstack/react-query'
import { deploymentQuery } from '../api/deployments.ts'
import { useMay } from '../api/session.ts'
import { Page } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { useDeploymentId } from './address.ts'
import { AgentKeySection } from './settings/agent-key-section.tsx'
import { CallersSection } from './settings/callers-section.tsx'
import { DeletionSection } from './settings/deletion-section.tsx'
import { DomainsSection } from './settings/domains-section.tsx'
import { PushWebhookSection } from './settings/push-webhook-section.tsx'
import { SecretsSection } from './settings/secrets-section.tsx'
import { ServersSection } from './settings/servers-section.tsx'
import { WebhooksSection } from './settings/webhooks-section.tsx'

/** The settings of a deployment. Viewers see them and cannot change them. */
export function SettingsPage() {
  const query = useQuery(deploymentQuery(useDeploymentId()))
  const mayWrite = useMay('write')
  return (
    <Page title="Settings">
      <QueryView query={query} what="the deployment">
        {(deployment) => (
          <div className="max-w-3xl">
            <SecretsSection deployment={deployment} mayWrite={mayWrite} />
            <DomainsSection deployment={deployment} mayWrite={mayWrite} />
            <CallersSection deployment={deployment} mayWrite={mayWrite} />
            <WebhooksSection deployment={deployment} mayWrite={mayWrite} />
            <ServersSection key={deployment.id} deployment={deployment} mayWrite={mayWrite} />
            {mayWrite && (
              <>
                {deployment.source === 'github' && <PushWebhookSection deployment={deployment} />}
                <AgentKeySection deployment={deployment} />
                <DeletionSection deployment={deployment} />
              </>
            )}
          </div>
        )}
      </QueryView>
    </Page>
  )
}
