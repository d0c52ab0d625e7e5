/**
 * Stream mode `lifecycle`: reports the start and end of each subgraph. The event's name has the
 * subgraph's namespace, whether or not the run's other modes show subgraphs.
 */

import type { NewEvent } from '../../core/agent/event.ts'
import type { TaskPayload } from '../../core/agent/host/emission.ts'
import type { AgentStatus } from '../../core/agent/protocol.ts'
import type { RunError } from '../../core/agent/run.ts'
import { type ChildEvent, Children } from './children.ts'

export class SubgraphLifecycle {
  readonly #children = new Children()
  #isAsking = false

  /** Takes LangGraph's event of a task, in the namespace of the task's graph. */
  onTask(namespace: string[], task: TaskPayload): NewEvent[] {
    const begun = this.#children.onEvent(namespace, { isOfNode: false })
    this.#children.onTask(namespace, task)
    if (task.interrupts && task.interrupts.length > 0) this.#isAsking = true
    return begun.map((child) => lifecycleEvent(child))
  }

  /** The graph's stream has ended without a stop. */
  onEnd(): NewEvent[] {
    return this.#over(this.#isAsking ? 'interrupted' : 'completed')
  }

  /** The run has failed, or (without an error) was stopped. */
  onFailure(error: RunError | undefined): NewEvent[] {
    return this.#over(error ? 'failed' : 'interrupted', error)
  }

  #over(status: AgentStatus, error?: RunError): NewEvent[] {
    return this.#children.onEnd(status).map((child) => lifecycleEvent(child, error))
  }
}

function lifecycleEvent({ namespace, data }: ChildEvent, error?: RunError): NewEvent {
  const { event, cause } = data as { event: AgentStatus; cause?: { tool_call_id?: string } }
  const tool_call_id = cause?.tool_call_id
  const told = {
    event,
    namespace,
    ...(tool_call_id !== undefined && { tool_call_id }),
    ...(error && event === 'failed' && { error }),
  }
  return { event: ['lifecycle', ...namespace].join('|'), data: JSON.stringify(told) }
}
