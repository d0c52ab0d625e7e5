/** The runtime drivers that `RUNYARD_RUNTIME` chooses from. */
import type { ArtifactKind } from '../core/deployment/artifacts/artifact.ts'
import type { RuntimeDriver, RuntimeName } from '../core/deployment/runtime.ts'
import { AppError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { createDockerDriver } from './docker/driver.ts'
import { checkContainerLimits } from './docker/limits.ts'
import { createKubernetesDriver } from './kubernetes/driver.ts'
import { createProcessDriver } from './process/driver.ts'
import type { RuntimeParts } from './runtime-parts.ts'

/** Throws `bad_request` if `parts` has no settings for the driver. */
export function createDriver(name: RuntimeName, parts: RuntimeParts): RuntimeDriver {
  if (name === 'process') return createProcessDriver(parts)
  const { docker, kubernetes } = parts
  if (name === 'docker' && docker) return createDockerDriver({ ...parts, docker })
  if (name === 'kubernetes' && kubernetes) return createKubernetesDriver({ ...parts, kubernetes })
  throw new AppError('bad_request', `The runtime driver ${name} has no settings.`)
}

/** Whether its agent servers fetch their build, and so do not need the machine that has built it. */
export function areFetched(name: string): boolean {
  return name === 'kubernetes'
}

/** The kinds of artifacts that a driver can start. */
export function artifactsOf(name: RuntimeName): readonly ArtifactKind[] {
  return name === 'process' ? ['folder'] : ['folder', 'image']
}

/** Throws `bad_request` for a `resource_spec` with which the driver could start nothing. */
export function checkResourcesOf(name: RuntimeName, resource_spec: JsonObject): void {
  if (name === 'docker') checkContainerLimits(resource_spec)
}
