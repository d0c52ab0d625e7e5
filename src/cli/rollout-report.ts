/** How commands show a rollout, and their exit code at its end. */
import type { ControlPlaneClient, Deployment, Revision } from '../../client/src/client.ts'
import { INTERRUPTED_EXIT_CODE, untilInterrupted } from './interruption.ts'
import { printJson, say } from './output.ts'
import { watchRevision } from './watch-revision.ts'

interface RolloutReport {
  deployment: Deployment & { latest_revision_id: string }
  isJson: boolean
  /** `false`: the command ends at once, and does not wait for the rollout. */
  isAwaited: boolean
  isBuildShown: boolean
}

/**
 * Shows the rollout of the deployment's latest revision and prints the deployment's URL. Sets the exit
 * code: 0 only when the revision is DEPLOYED. Ctrl-C ends only the watching.
 */
export async function reportRollout(
  client: ControlPlaneClient,
  { deployment, isJson, isAwaited, isBuildShown }: RolloutReport,
): Promise<void> {
  const { id: deployment_id, latest_revision_id: revision_id } = deployment
  say(`Revision ${revision_id} of ${deployment.name}.`)
  const revision = isAwaited
    ? await watch(client, { deployment_id, revision_id }, isBuildShown)
    : await client.getRevision(deployment_id, revision_id)
  if (!revision) return sayItContinues(deployment.name)
  if (isJson) printJson({ ...(await client.getDeployment(deployment_id)), revision })
  if (isAwaited && revision.status !== 'DEPLOYED') return fail(revision, isJson)
  if (!isJson) console.log(deployment.source_config.custom_url ?? client.url)
}

async function watch(
  client: ControlPlaneClient,
  at: { deployment_id: string; revision_id: string },
  isBuildShown: boolean,
): Promise<Revision | undefined> {
  const signal = untilInterrupted()
  const onBuildLine = (line: string) => say(`  ${line}`)
  const viewer = {
    onStatus: (status: string) => say(status),
    ...(isBuildShown && { onBuildLine }),
  }
  try {
    return await watchRevision(client, at, { viewer, signal })
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

function sayItContinues(name: string): void {
  say(`The rollout goes on without this command: "runyard revisions ${name}" shows how far it is.`)
  process.exitCode = INTERRUPTED_EXIT_CODE
}

function fail({ status, status_message }: Revision, isJson: boolean): void {
  if (!isJson) say(`${status}: ${status_message ?? 'no reason was given.'}`)
  process.exitCode = 1
}
