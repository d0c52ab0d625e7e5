/** The runtime drivers that `RUNYARD_RUNTIME` chooses from. */
import type { Artifact, ArtifactKind } from '../core/deployment/artifact.ts'
import type { RuntimeDriver, RuntimeName } from '../core/deployment/runtime.ts'
import type { RuntimeParts } from './parts.ts'
import { createProcessDriver } from './process/driver.ts'
import { createRefusingDriver } from './refusing-driver.ts'

const DRIVERS: Readonly<Record<RuntimeName, DriverKind>> = {
  process: taking(['folder'], createProcessDriver),
}

interface DriverKind {
  /** What it can start. */
  artifacts: readonly ArtifactKind[]
  create(name: RuntimeName, parts: RuntimeParts): RuntimeDriver
}

/** A driver that has `failed` whatever is of another kind than it takes. */
export function createDriver(name: RuntimeName, parts: RuntimeParts): RuntimeDriver {
  return DRIVERS[name].create(name, parts)
}

/** The kinds of artifacts that a driver can start. */
export function artifactsOf(name: RuntimeName): readonly ArtifactKind[] {
  return DRIVERS[name].artifacts
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
