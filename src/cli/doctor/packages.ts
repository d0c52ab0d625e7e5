/** Checks of `runyard doctor` on the packages that deployments have installed. */
import type { Weakness } from '../../core/deployment/builds/langgraph.ts'
import type { Inspection } from '../../core/deployment/inspection.ts'
import { type Finding, ok, warning } from './finding.ts'
import type { DoctorTools } from './tools.ts'

const WHAT = 'packages'

/** One finding for each weakness of a serving revision's packages. */
export async function inspectPackages(
  { serving }: Inspection,
  { weaknessesOf }: Pick<DoctorTools, 'weaknessesOf'>,
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const { name, revision_id } of serving) {
    for (const one of await weaknessesOf(revision_id)) found.push(findingOf(name, one))
  }
  return found.length > 0 ? found : [ok(WHAT, 'no known weakness of LangChain in what is deployed')]
}

function findingOf(name: string, { says, mended }: Weakness): Finding {
  const isNode = mended.package.startsWith('@')
  const command = isNode
    ? `npm install ${mended.package}@^${mended.version}`
    : `uv add "${mended.package}>=${mended.version}"`
  return warning(WHAT, `deployment ${name}: ${says}`, `${command}, and deploy it again`)
}
