/** Watches a revision until its rollout has ended. */
import { setTimeout as delay } from 'node:timers/promises'
import {
  type ControlPlaneClient,
  isOver,
  type Revision,
  type RevisionStatus,
  UnreachableError,
} from '../../../client/src/client.ts'

const POLL_MS = 200
/** How long the control plane may be unreachable, in ms. Afterwards it goes on from its record. */
const AWAY_LIMIT_MS = 60_000

/** Shows a rollout in order: the lines of a build come before the next status. Each member may be absent. */
export interface RolloutViewer {
  onStatus?(status: RevisionStatus): void
  onBuildLine?(line: string): void
}

/**
 * Returns the revision at the end of its rollout, whether it is DEPLOYED or has failed. Rejects when the
 * signal is aborted; the rollout goes on.
 */
export async function watchRevision(
  client: ControlPlaneClient,
  at: { deployment_id: string; revision_id: string },
  { viewer = {}, signal }: { viewer?: RolloutViewer; signal: AbortSignal },
): Promise<Revision> {
  const look = tolerateOutages(() => client.getRevision(at.deployment_id, at.revision_id))
  const readLog = viewer.onBuildLine ? buildLogReader(client, at, viewer.onBuildLine) : undefined
  let seen: RevisionStatus | undefined
  for (;;) {
    const revision = await look()
    if (revision) {
      const { status } = revision
      // Also after a missed BUILDING, the lines of the build come before the next status.
      if (status !== 'BUILDING') await readLog?.()
      if (status !== seen) viewer.onStatus?.(status)
      seen = status
      if (status === 'BUILDING') await readLog?.()
      if (isOver(status)) return revision
    }
    await delay(POLL_MS, undefined, { signal })
  }
}

/** Prints the new lines of the build's log since the last call. */
function buildLogReader(
  client: ControlPlaneClient,
  { deployment_id, revision_id }: { deployment_id: string; revision_id: string },
  onLine: (line: string) => void,
): () => Promise<void> {
  let offset: string | undefined
  const readPage = async () => {
    const { logs } = await client.readBuildLog(deployment_id, revision_id, offset)
    for (const { message } of logs) onLine(message)
    offset = logs.at(-1)?.id ?? offset
    return logs.length > 0
  }
  return async () => {
    while (await readPage());
  }
}

/** Returns `undefined` while the control plane is unreachable. Throws when that takes too long. */
function tolerateOutages<T>(ask: () => Promise<T>): () => Promise<T | undefined> {
  let awaySince: number | undefined
  return async () => {
    try {
      const answer = await ask()
      awaySince = undefined
      return answer
    } catch (error) {
      awaySince ??= Date.now()
      if (!(error instanceof UnreachableError) || Date.now() - awaySince > AWAY_LIMIT_MS)
        throw error
      return undefined
    }
  }
}
