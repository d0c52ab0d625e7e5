/** The runtime drivers that `RUNYARD_RUNTIME` chooses from. */
import type { Artifact, ArtifactKind } from '../core/deployment/artifacts/artifact.ts'
import type { RuntimeDriver, RuntimeName } from '../core/deployment/runtime.ts'
import { AppError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { createDockerDriver, requireDocker } from './docker/driver.ts'
import { checkContainerLimits } from './docker/limits.ts'
import { createKubernetesDriver } from './kubernetes/driver.ts'
import { createProcessDriver } from './process/driver.ts'
import { createRefusingDriver } from './refusing-driver.ts'
import type { RuntimeParts } from './runtime-parts.ts'

const DRIVERS: Readonly<Record<RuntimeName, DriverKind>> = {
  process: taking(['folder'], createProcessDriver),
  kubernetes: taking(['folder', 'image'], ({ kubernetes, ...parts }) => {
    if (!kubernetes) throw new AppError('bad_request', 'The driver kubernetes has no settings.')
    return createKubernetesDriver({ ...parts, kubernetes })
  }),
  docker: {
    ...taking(['folder', 'image'], (parts) => createDockerDriver(requireDocker(parts))),
    checkResources: checkContainerLimits,
  },
}

interface DriverKind {
  /** The kinds of artifacts that it can start. */
  artifacts: readonly ArtifactKind[]
  create(name: RuntimeName, parts: RuntimeParts): RuntimeDriver
  /** Throws `bad_request` for a `resource_spec` with which it could start nothing. Absent: it takes all. */
  checkResources?(resource_spec: JsonObject): void
}

/** Creates a driver in which artifacts of other kinds are `failed`. */
export function createDriver(name: RuntimeName, parts: RuntimeParts): RuntimeDriver {
  return DRIVERS[name].create(name, parts)
}

/** Whether its agent servers fetch their build, and so do not need the machine that has built it. */
export function areFetched(name: string): boolean {
  return name === 'kubernetes'
}

/** The kinds of artifacts that a driver can start. */
export function artifactsOf(name: RuntimeName): readonly ArtifactKind[] {
  return DRIVERS[name].artifacts
}

/** Throws `bad_request` for a `resource_spec` with which the driver could start nothing. */
export function checkResourcesOf(name: RuntimeName, resource_spec: JsonObject): void {
  DRIVERS[name].checkResources?.(resource_spec)
}

function taking<A extends Artifact>(
  artifacts: readonly A['kind'][],
  create: (parts: RuntimeParts) => RuntimeDriver<A>,
): DriverKind {
  return {
    artifacts,
    create: (name, parts) =>
      createRefusingDriver({ name, artifacts, clock: parts.clock }, create(parts)),
  }
}
