import type { Deployment, DeploymentRuntime, Revision } from '@runyard/client'
import { Link } from '@tanstack/react-router'
import { pagesOf } from '../../api/deployment-pages.ts'
import { Card, Facts } from '../../design/page.tsx'
import { Badge, Status, type Tone } from '../../design/status.tsx'
import { CopyButton } from '../../design/text/copy-button.tsx'
import { Id } from '../../design/text/id.tsx'
import { Time } from '../../design/text/time.tsx'
import { sourceTextOf } from '../revisions/source-text.ts'

type Replica = DeploymentRuntime['replicas'][number]

/** The serving revision, its URL, and each of its servers. */
export function ServingCard(props: {
  deployment: Deployment
  revision: Revision
  runtime: DeploymentRuntime | undefined
}) {
  const { deployment, revision, runtime } = props
  const { what, version } = sourceTextOf(revision, deployment)
  return (
    <Card>
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <h2 className="text-lg font-semibold">
          <Link
            to={pagesOf(deployment.id).revision(revision.id)}
            className="underline-offset-2 hover:underline"
          >
            {`Revision #${revision.number}`}
          </Link>
        </h2>
        <Badge tone="good">Serving</Badge>
      </div>
      <Facts
        facts={[
          [
            deployment.addresses.length > 1 ? 'Addresses' : 'Address',
            deployment.addresses.map((address) => (
              <span key={address} className="flex items-center gap-1">
                <code className="wrap-anywhere">{address}</code>
                <CopyButton text={address} label={`Copy ${address}`} />
              </span>
            )),
          ],
          [
            'Source',
            <span key="source" className="flex flex-wrap items-center gap-x-2">
              {what}
              {version && <Id id={version} />}
            </span>,
          ],
          ...(revision.deployed_at
            ? [['Since', <Time key="since" at={revision.deployed_at} />] as const]
            : []),
          ['Scale', <span key="scale">{scaleText(deployment)}</span>],
          ...(runtime ? [['Servers', <Servers key="servers" runtime={runtime} />] as const] : []),
        ]}
      />
    </Card>
  )
}

function scaleText({ source_config }: Deployment): string {
  const { min_scale, max_scale, memory_limit_mb } = source_config.resource_spec ?? {}
  const least = typeof min_scale === 'number' ? min_scale : 1
  const most = Math.max(1, least, typeof max_scale === 'number' ? max_scale : 1)
  const servers = least === most ? `${most}` : `${least} to ${most}`
  const memory = typeof memory_limit_mb === 'number' ? `, ${memory_limit_mb} MB each` : ''
  return `${servers} ${most === 1 ? 'server' : 'servers'}${memory}${least === 0 ? ', sleeps when idle' : ''}`
}

const REPLICAS: Record<Replica['state'], { word: string; tone: Tone }> = {
  healthy: { word: 'Healthy', tone: 'good' },
  starting: { word: 'Starting', tone: 'live' },
  restarting: { word: 'Restarting', tone: 'wait' },
  failed: { word: 'Failed', tone: 'bad' },
}

function Servers({ runtime }: { runtime: DeploymentRuntime }) {
  if (runtime.state === 'asleep') {
    return (
      <span>
        <Status tone="off">Asleep</Status>{' '}
        {runtime.asleep_since && (
          <span className="text-ink-soft">
            since <Time at={runtime.asleep_since} />
          </span>
        )}
        <span className="block text-sm text-ink-soft">
          {runtime.wake_at ? (
            <>
              The next request wakes it, or a cron <Time at={runtime.wake_at} />.
            </>
          ) : (
            'The next request wakes it.'
          )}
        </span>
      </span>
    )
  }
  if (runtime.replicas.length === 0) return <span className="text-ink-soft">None yet</span>
  return (
    <ul className="space-y-1">
      {runtime.replicas.map((replica, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: servers are identified only by their position
        <li key={place} className="flex flex-wrap items-center gap-x-3">
          <Status tone={REPLICAS[replica.state].tone}>{REPLICAS[replica.state].word}</Status>
          <span className="text-sm text-ink-soft">{loadText(replica)}</span>
          {replica.reason && replica.state !== 'healthy' && (
            <span
              className={`basis-full text-sm wrap-anywhere ${replica.state === 'starting' ? 'text-ink-soft' : 'text-bad'}`}
            >
              {replica.reason}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

function loadText({ running, restarts, lag_ms }: Replica): string {
  const parts = [
    running !== null && `${running} ${running === 1 ? 'run' : 'runs'} going on`,
    restarts > 0 && `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`,
    lag_ms !== null && lag_ms > 100 && `its event loop is ${lag_ms} ms late`,
  ]
  return parts.filter(Boolean).join(', ')
}
