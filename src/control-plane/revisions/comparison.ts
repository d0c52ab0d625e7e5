/** What a revision changed since the last one that served: its fields, its secrets by name, and its source. */
import type { Revision } from '../../core/deployment/revision.ts'
import type { SourceSnapshot } from '../../core/deployment/sources/snapshot.ts'
import { kindOf } from '../../core/deployment/sources/table.ts'
import { isAllowed, type Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { requireDeployment, requireRevision } from '../deployments/access.ts'
import type { RevisionComparison, SourceChanges } from './changes-schemas.ts'
import { changesBetween } from './history.ts'
import { noChanges, sourceChanges } from './source-changes.ts'

type Parts = Pick<ControlPlaneParts, 'store' | 'snapshots'>

/** Only callers who may deploy see lines of the source. Throws `not_found`. */
export async function compareRevision(
  parts: Parts,
  principal: Principal,
  deployment_id: string,
  id: string,
): Promise<RevisionComparison> {
  await requireDeployment(parts.store, principal, deployment_id)
  const revision = await requireRevision(parts.store, deployment_id, id)
  const { number } = revision
  const before = await parts.store.revisions.before(deployment_id, number)
  if (!before) return { revision_id: id, number, changes: null, source: null }
  const isTextShown = isAllowed(principal.role, 'write')
  const source = await compareSources(parts, before, revision, isTextShown)
  return { revision_id: id, number, changes: changesBetween(before, revision), source }
}

async function compareSources(
  parts: Parts,
  before: Revision,
  after: Revision,
  isTextShown: boolean,
): Promise<SourceChanges> {
  const isImage = ({ source }: Revision) => kindOf(source).artifact === 'image'
  if (isImage(before) || isImage(after)) return noChanges('image')
  const [old, now] = await Promise.all([before, after].map((one) => snapshotOf(parts, one)))
  if (!old || !now) return noChanges('unknown')
  return sourceChanges(old, now, { isTextShown })
}

/** A revision that repeats another has its source, and was usually not fetched again. */
async function snapshotOf(
  { snapshots }: Parts,
  { id, built_from }: Revision,
): Promise<SourceSnapshot | undefined> {
  const own = await snapshots.read(id)
  return own ?? (built_from === null ? undefined : snapshots.read(built_from))
}
