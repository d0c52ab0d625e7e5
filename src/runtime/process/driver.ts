/** The process driver: agent servers as child processes of this one. */
import type { RuntimeDriver } from '../../core/deployment/runtime.ts'
import { AppError } from '../../core/errors.ts'
import { createReplicasDriver } from '../replicas/driver.ts'
import { type ProcessDriverOptions, startAgentProcess } from './agent-process.ts'
import { heapArguments, memoryLimitMb } from './memory.ts'

/**
 * A driver whose agent servers live only as long as this process: when it ends, in whatever way, they see their IPC
 * channel close and end too. After a restart the driver observes nothing, and the caller starts again what is to run.
 * A revision that is an image is `failed`, with a reason that says what to do.
 */
export function createProcessDriver(parts: ProcessDriverOptions): RuntimeDriver {
  return createReplicasDriver(parts, (spec) => {
    const { artifact } = spec
    if (artifact.kind === 'image') return refuseImage
    const limitMb = memoryLimitMb(spec.resource_spec)
    const project = parts.locate(artifact)
    const { file, args } = parts.command
    const command = {
      file: project.node?.path ?? file,
      args: [...heapArguments(limitMb, { isBesidePython: project.python !== null }), ...args],
    }
    return (terms) => startAgentProcess(spec, parts, { ...terms, project, command, limitMb })
  })
}

function refuseImage(): never {
  throw new AppError(
    'bad_request',
    'The revision is an image, and the runtime driver process only starts folders. Set RUNYARD_RUNTIME to a driver ' +
      'that starts images, or deploy from another source.',
  )
}
