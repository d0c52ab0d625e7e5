/** The driver of a control plane whose agent servers a listener runs, as child processes here. */
import type { FolderArtifact } from '../../src/core/deployment/artifacts/artifact.ts'
import type { RuntimeDriver } from '../../src/core/deployment/runtime.ts'
import { ListenerWorld, withTokens } from '../support/control-plane/listener-world.ts'
import { openProcessWorld } from './process-world.ts'
import { type RuntimeDriverWorld, testRuntimeDriver } from './runtime-driver.ts'

async function openWorld(options: {
  healthTimeoutMs: number
}): Promise<RuntimeDriverWorld<FolderArtifact>> {
  const { driver: local, ...world } = await openProcessWorld(options)
  const listening = new ListenerWorld(local as RuntimeDriver)
  await listening.start()
  return {
    ...world,
    hasLastReadings: false,
    driver: withTokens(() => listening.hub.driver, local as RuntimeDriver),
    async close() {
      await listening.close()
      await world.close()
    },
  }
}

testRuntimeDriver('A listener', openWorld)
