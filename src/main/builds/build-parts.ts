/** Parts of project builds, wherever they run. */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuilderOptions } from '../../build/options.ts'
import { checkProjectPackages } from '../../graph/js/modules/langgraph-package.ts'
import { checkProjectConfig, readProjectConfig } from '../../project/config.ts'
import { bundlerPath } from '../installation/agent-program.ts'

export const PROJECT_CHECKS: Pick<BuilderOptions, 'checkConfig' | 'checkPackages' | 'ownNode'> = {
  checkConfig: checkProjectConfig,
  checkPackages: async (configPath, place) =>
    checkProjectPackages(await readProjectConfig(configPath, place), place),
  ownNode: dirname(process.execPath),
}

export const NO_IMAGES =
  'langgraph.json: "base_image" and "dockerfile_lines" are about an image, and none is built for the runtime ' +
  'kubernetes without RUNYARD_REGISTRY_URL and RUNYARD_DOCKER_HOST: build and push it with the official CLI ' +
  '(langgraph deploy --push-to) and deploy it as an image, or take both out.'

/**
 * The command that bundles a project, in a clone as in the package. It writes the example's bundle in 770 ms from the
 * bundled program, in 900 ms from a clone's sources.
 */
export function ownBundler() {
  const made = bundlerPath()
  if (made !== undefined) return [process.execPath, made] as const
  const script = new URL('bundle-command.ts', import.meta.url)
  return [process.execPath, fileURLToPath(script)] as const
}
