/** How commands name a revision: `#3`, `3`, its id, or the beginning of its id. */
import type { ControlPlaneClient, Deployment, Revision } from '../../../client/src/client.ts'
import { AppError } from '../../core/errors.ts'

/** For the help of options and arguments. */
export const REVISION_FORMS = 'its number, such as 3 or "#3", its id, or the beginning of that'

/** Throws `not_found` if the deployment has none or several such revisions. */
export async function findRevision(
  client: ControlPlaneClient,
  { id: deployment_id, name }: Pick<Deployment, 'id' | 'name'>,
  text: string,
): Promise<Revision> {
  const revisions = await client.listRevisions(deployment_id)
  const [, number] = /^#?(\d+)$/.exec(text) ?? []
  const numbered = revisions.find((one) => one.number === Number(number))
  if (numbered) return numbered
  const [found, ...others] = revisions.filter(({ id }) => id.startsWith(text))
  if (found && others.length === 0) return found
  const what = found ? `Several revisions begin with ${text}` : `There is no revision ${text}`
  throw new AppError('not_found', `${what}: "runyard revisions ${name}" lists them.`)
}
