/** Deployments that run at a listener: which ones may, and their addresses. */
import type { ArtifactKind } from '../../core/deployment/artifacts/artifact.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import { whyAway } from '../../core/deployment/listener.ts'
import type { Revision } from '../../core/deployment/revision.ts'
import { type SourceConfig, sourceConfigOf } from '../../core/deployment/sources/config.ts'
import { kindOf, type Source } from '../../core/deployment/sources/table.ts'
import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'

/** How many listeners a refusal names at most. */
const NAMED = 20

/**
 * Throws `bad_request` for a listener that the workspace does not have, a namespace that the listener does not have,
 * and a missing listener when nothing here can start the source.
 */
export async function checkListener(
  { store, artifacts }: Pick<ControlPlaneParts, 'store' | 'artifacts'>,
  { workspace_id }: Principal,
  source: Source,
  { listener_id, listener_config }: SourceConfig,
): Promise<void> {
  if (source !== 'external_docker') return
  if (listener_id === null) return refuseUnplaced(store, workspace_id, { source, artifacts })
  const listener = await store.listeners.get(workspace_id, listener_id)
  if (!listener) {
    throw new AppError(
      'bad_request',
      `source_config.listener_id: Listener ID ${listener_id} not found.`,
    )
  }
  const { k8s_namespaces: allowed } = listener.compute_config
  const namespace = listener_config?.k8s_namespace
  if (typeof namespace !== 'string' || allowed === null || allowed.includes(namespace)) return
  throw new AppError(
    'bad_request',
    `source_config.listener_config.k8s_namespace is ${JSON.stringify(namespace)}, which is none of the listener’s: ` +
      `${allowed.join(', ') || 'it has none'}. Name one of them, or add it to the listener’s ` +
      'compute_config.k8s_namespaces.',
  )
}

/** The words are LangGraph Platform's: its clients recognise them. */
async function refuseUnplaced(
  { listeners }: ControlPlaneParts['store'],
  workspace_id: string,
  { source, artifacts }: { source: Source; artifacts: readonly ArtifactKind[] },
): Promise<void> {
  if (artifacts.includes(kindOf(source).artifact)) return
  const available = await listeners.list({ workspace_id, limit: NAMED, offset: 0 })
  if (available.length === 0) return
  const ids = available.map(({ id }) => `'${id}'`).join(', ')
  throw new AppError(
    'bad_request',
    "Source configuration error: 'source_config.listener_id' is required for workspace with available " +
      `listener IDs: [${ids}]`,
  )
}

/** Why a rollout of the deployment waits for its listener; `undefined`: it has none, or the listener reports. */
export async function whyItWaits(
  { store, clock }: Pick<ControlPlaneParts, 'store' | 'clock'>,
  deployment: Deployment,
): Promise<string | undefined> {
  const { listener_id } = sourceConfigOf(deployment)
  if (listener_id === null) return undefined
  const listener = await store.listeners.get(deployment.tenant_id, listener_id)
  return listener && whyAway(listener, clock.now())
}

/** The parts of a deployment's addresses. At a listener, the base is the listener's URL once it has reported one. */
export async function addressOf(
  parts: Pick<ControlPlaneParts, 'store' | 'publicUrl' | 'domain'>,
  deployment: Deployment,
): Promise<{ publicUrl: string; domain: string | undefined; hosts: string[] }> {
  const { listener_id } = sourceConfigOf(deployment)
  return {
    publicUrl: (await homeOf(parts, deployment)) ?? parts.publicUrl(),
    domain: listener_id === null ? parts.domain : undefined,
    hosts: await parts.store.domains.listHosts(deployment.id),
  }
}

/** The URL of the gateway in front of the deployment; `null`: its listener has not reported one yet. */
export async function homeOf(
  { store, publicUrl }: Pick<ControlPlaneParts, 'store' | 'publicUrl'>,
  deployment: Deployment,
): Promise<string | null> {
  const { listener_id } = sourceConfigOf(deployment)
  if (listener_id === null) return publicUrl()
  return (await store.listeners.get(deployment.tenant_id, listener_id))?.url ?? null
}

/** What the start of a revision does just now, as a sentence; `undefined`: nothing starts, or it is unknown. */
export function whatItsStartDoes(
  { replicas }: Pick<ControlPlaneParts, 'replicas'>,
  { id }: Revision,
): string | undefined {
  const starting = replicas(id).find(({ state, reason }) => state === 'starting' && reason !== null)
  return starting?.reason ?? undefined
}
