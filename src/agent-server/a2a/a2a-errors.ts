/** Converts refusals of the verbs to errors of the Agent2Agent protocol. */
import {
  A2AError,
  JsonRpcRequestMalformedError,
  RequestMalformedError,
  TaskNotFoundError,
} from '@a2a-js/sdk/errors'
import { AppError, ProjectRefusal } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'

/** JSON-RPC's code for an invalid request. */
const INVALID_REQUEST = -32600

/** Throws only errors of the library. Logs any error that is not a refusal and throws it as internal. */
export async function asA2AErrors<T>(log: Log, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (err) {
    throw toA2AError(log, err)
  }
}

function toA2AError(log: Log, err: unknown): A2AError {
  if (err instanceof A2AError) return err
  if (err instanceof ProjectRefusal) return refused(err.message)
  if (!(err instanceof AppError) || err.code === 'internal') {
    log.error({ err }, 'a request of the Agent2Agent protocol failed')
    return new A2AError('Internal server error; the log says more.')
  }
  const { message, code } = err
  switch (code) {
    case 'not_found':
      return new TaskNotFoundError(message)
    case 'unavailable':
      return new A2AError(message)
    case 'forbidden':
    case 'unauthenticated':
      return refused(message)
    default:
      return new RequestMalformedError(message)
  }
}

function refused(message: string): A2AError {
  return new JsonRpcRequestMalformedError({ message, envelopeCode: INVALID_REQUEST })
}
