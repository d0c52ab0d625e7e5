/** How every driver starts an agent server: its start message and its arguments. */
import type { LocalProject } from '../core/deployment/artifacts/artifact.ts'
import type { RuntimeSpec } from '../core/deployment/runtime.ts'
import type { StartMessage } from '../link/messages.ts'
import type { RuntimeParts } from './runtime-parts.ts'

/** Where the project is for the agent server; `undefined`: it is in the image. */
type Project =
  | (Pick<LocalProject, 'root' | 'bundlePath'> & { pythonPath: string | null })
  | undefined

/** `own`: the parts that only its driver knows. */
export async function startMessage(
  { deployment_id, deployment_name, revision_id, secrets }: RuntimeSpec,
  parts: Pick<RuntimeParts, 'databaseUrl' | 'dataKey' | 'home'>,
  {
    project,
    ...own
  }: Pick<StartMessage, 'gatewayToken' | 'isStandby' | 'lingerMs'> & { project: Project },
): Promise<StartMessage> {
  const { root: sourceRoot, bundlePath = null, pythonPath = null } = project ?? {}
  const databaseUrl = await parts.databaseUrl?.(deployment_id)
  const dataKey = parts.dataKey?.(deployment_id)
  const home = await parts.home?.(deployment_id)
  return {
    ...{ type: 'start', deployment_id, deployment_name, revision_id, ...own },
    secrets: Object.fromEntries(secrets.map(({ name, value }) => [name, value])),
    ...(sourceRoot !== undefined && { sourceRoot }),
    ...(bundlePath !== null && { bundlePath }),
    ...(pythonPath !== null && { pythonPath }),
    ...(databaseUrl && { databaseUrl }),
    ...(dataKey !== undefined && { dataKey }),
    ...(home && { home }),
  }
}

/** For `startMessage`, where the agent server finds the project as this machine does. */
export function projectHere(project: LocalProject | undefined): Project {
  return project && { ...project, pythonPath: project.python?.path ?? null }
}

/** `configPath`: absent for an image, which has a project of its own. */
export function serveArguments(
  configPath: string | undefined,
  { host, port, dataDir }: { host: string; port: number; dataDir: string },
): string[] {
  const config = configPath === undefined ? [] : ['--config', configPath]
  const where = ['--host', host, '--port', String(port), '--data-dir', dataDir]
  return ['serve', '--managed', ...config, ...where]
}
