/** How commands show a rollout, and their exit code at its end. */
import {
  type ControlPlaneClient,
  type Deployment,
  type Revision,
  UnreachableError,
} from '../../../client/src/client.ts'
import { INTERRUPTED_EXIT_CODE, untilInterrupted } from '../terminal/interruption.ts'
import { printJson, say } from '../terminal/output.ts'
import { startProgress } from '../terminal/progress.ts'
import { watchRevision } from './watch-revision.ts'

interface RolloutReport {
  deployment: Deployment & { latest_revision_id: string }
  /** The deployment's latest revision, if the caller has it. */
  made?: Revision
  isJson: boolean
  /** `false`: the command ends at once, without waiting for the rollout. */
  isAwaited: boolean
  isBuildShown: boolean
}

/**
 * Shows the rollout of the deployment's latest revision and prints the deployment's URL. Sets the exit
 * code: 0 only when the revision is DEPLOYED. Ctrl-C ends only the watching.
 */
export async function reportRollout(
  client: ControlPlaneClient,
  { deployment, made, isJson, isAwaited, isBuildShown }: RolloutReport,
): Promise<void> {
  const { id: deployment_id, latest_revision_id: revision_id } = deployment
  const at = { deployment_id, revision_id }
  const first = made ?? (await firstLook(client, at))
  const which = first ? `#${first.number} of ${deployment.name} (${revision_id})` : null
  say(`Revision ${which ?? `${revision_id} of ${deployment.name}`}.`)
  const shown = new Set<string>()
  const end = isAwaited ? await watch(client, at, isBuildShown ? shown : undefined) : undefined
  if (isAwaited && !end) return sayItContinues(deployment.name)
  if (isJson) {
    const revision = end ?? first ?? (await client.getRevision(deployment_id, revision_id))
    printJson({ ...(await client.getDeployment(deployment_id)), revision })
  }
  if (end && end.status !== 'DEPLOYED') return fail(end, { name: deployment.name, isJson, shown })
  if (!isJson) console.log(deployment.source_config.custom_url ?? client.url)
}

/** `undefined`: the control plane is unreachable, as in a restart. The rollout goes on without it. */
async function firstLook(
  client: ControlPlaneClient,
  { deployment_id, revision_id }: { deployment_id: string; revision_id: string },
): Promise<Revision | undefined> {
  try {
    return await client.getRevision(deployment_id, revision_id)
  } catch (error) {
    if (error instanceof UnreachableError) return undefined
    throw error
  }
}

/** `shown`: collects the lines of the build, and shows them. */
async function watch(
  client: ControlPlaneClient,
  at: { deployment_id: string; revision_id: string },
  shown: Set<string> | undefined,
): Promise<Revision | undefined> {
  const signal = untilInterrupted()
  const progress = startProgress()
  const viewer = {
    onStatus: (status: string) => progress.step(status),
    ...(shown && {
      onBuildLine: (line: string) => {
        shown.add(line)
        progress.line(line)
      },
    }),
  }
  let revision: Revision | undefined
  try {
    revision = await watchRevision(client, at, { viewer, signal })
    return revision
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  } finally {
    progress.end(revision?.status !== 'DEPLOYED' && !signal.aborted)
  }
}

function sayItContinues(name: string): void {
  say(
    `The rollout goes on without this command: "runyard status ${name} --watch" follows it again.`,
  )
  process.exitCode = INTERRUPTED_EXIT_CODE
}

/** The reason ends with the last lines of the build: lines that were shown already are left out. */
function fail(
  { status, status_message }: Revision,
  { name, isJson, shown }: { name: string; isJson: boolean; shown: ReadonlySet<string> },
): void {
  const [reason, ...lines] = (status_message ?? 'no reason was given.').split('\n')
  const others = lines.filter((line) => !shown.has(line))
  const hint = status === 'BUILD_FAILED' ? [buildLogHint(name)] : []
  if (!isJson) say([`${status}: ${reason}`, ...others, ...hint].join('\n'))
  process.exitCode = 1
}

/** For a failed build: where its log is. */
export function buildLogHint(name: string): string {
  return `"runyard logs ${name} --build" prints the log of its build.`
}
