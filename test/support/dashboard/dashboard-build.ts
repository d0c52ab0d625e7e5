/** The dashboard as it is built from its sources now; a build that is new enough is left as it is. */
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'

const root = resolve(import.meta.dirname, '../../..')

/** Answers the folder with the built files. Several who ask at once wait for one build. */
export async function builtDashboard(): Promise<string> {
  const script = resolve(root, 'scripts/build-dashboard.ts')
  await promisify(execFile)(process.execPath, [script], { cwd: root })
  return resolve(root, 'dashboard/dist')
}
