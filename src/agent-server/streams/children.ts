/**
 * The parts of a run that have a namespace: subgraphs, and nodes whose model writes messages. Each is
 * reported as `started` with its first event, and then once as `completed`, `failed` or `interrupted`.
 *
 * ```
 * started ──its task has a result──▶ ending ──anything else happens──▶ completed
 *    │                                  │
 *    │                                  └──the run fails──▶ failed
 *    └──the run ends──▶ completed, failed, interrupted: as the run does
 * ```
 */

import type { RunEvent } from '../../core/agent/event.ts'
import type { TaskPayload } from '../../core/agent/host/emission.ts'
import { type AgentStatus, NODE, protocolPlaceOf } from '../../core/agent/protocol.ts'
import { parseJson } from '../../core/exact-json.ts'
import type { JsonObject } from '../../core/json.ts'

export interface ChildEvent {
  namespace: string[]
  /** Whether the child is a node, which only has messages and tool calls, and not a graph. */
  isNode: boolean
  data: JsonObject
}

interface Child {
  namespace: string[]
  graph_name: string
  isNode: boolean
  status: AgentStatus
}

export class Children {
  readonly #children = new Map<string, Child>()
  /** By task id: the cause of the task. */
  readonly #causes = new Map<string, JsonObject>()
  /** By namespace: the nodes that ended since the last start of a task there, and those of the step before. */
  readonly #steps = new Map<string, { ended: string[]; before: string[] }>()
  /** Children whose task has a result. */
  #ending: { child: Child; status: AgentStatus }[] = []

  /** Notes an event of an earlier attempt at the run. */
  restore({ event, data }: Pick<RunEvent, 'event' | 'data'>): void {
    const { channel, name, namespace = [] } = protocolPlaceOf(event) ?? {}
    if (channel !== 'tasks' && channel !== 'lifecycle') return
    const told = (parseJson(data) as { data: JsonObject }).data
    if (channel === 'tasks') {
      this.onTask(namespace, told as unknown as TaskPayload)
      return
    }
    const { event: status, graph_name } = told as unknown as {
      event: AgentStatus
      graph_name: string
    }
    const key = keyOf(namespace)
    const isNode = name === NODE
    if (namespace.length > 0) this.#children.set(key, { namespace, graph_name, isNode, status })
    this.#ending = this.#ending.filter(({ child }) => keyOf(child.namespace) !== key)
  }

  /** Call for each event of this namespace. `isOfNode`: the namespace is the one of the event's node. */
  onEvent(
    namespace: readonly string[],
    { agentName, isOfNode }: { agentName?: string | undefined; isOfNode: boolean },
  ): ChildEvent[] {
    const begun = namespace.map((_, i) => namespace.slice(0, i + 1))
    const started = begun.flatMap((one) => {
      const isNode = isOfNode && one.length === namespace.length
      return this.#start(one, { agentName, isNode })
    })
    return [...this.#endThose(), ...started]
  }

  /** A task of this namespace starts, or has its result. */
  onTask(namespace: readonly string[], task: TaskPayload): void {
    const { id, name, interrupts = [] } = task
    const step = this.#stepOf(namespace)
    if (!('result' in task)) {
      if (step.ended.length > 0) step.before = step.ended.splice(0)
      const cause = causeOf(task, step.before)
      if (cause) this.#causes.set(id, cause)
      return
    }
    step.ended.push(name)
    const child = this.#children.get(keyOf([...namespace, `${name}:${id}`]))
    if (child?.status !== 'started') return
    this.#ending.push({ child, status: interrupts.length > 0 ? 'interrupted' : 'completed' })
  }

  /** The run is over. */
  onEnd(status: AgentStatus): ChildEvent[] {
    const ended = status === 'failed' ? [] : this.#endThose()
    const rest = [...this.#children.values()].filter((child) => child.status === 'started')
    return [...ended, ...rest.toReversed().map((child) => end(child, status))]
  }

  #endThose(): ChildEvent[] {
    return this.#ending.splice(0).map(({ child, status }) => end(child, status))
  }

  #start(
    namespace: string[],
    { agentName, isNode }: { agentName: string | undefined; isNode: boolean },
  ): ChildEvent[] {
    const key = keyOf(namespace)
    if (this.#children.has(key)) return []
    const [node = '', task = ''] = (namespace.at(-1) ?? '').split(':')
    const graph_name = agentName ?? node
    this.#children.set(key, { namespace, graph_name, isNode, status: 'started' })
    const cause = this.#causes.get(task)
    const data = { event: 'started', graph_name, ...(cause && { cause }) }
    return [{ namespace, isNode, data }]
  }

  #stepOf(namespace: readonly string[]): { ended: string[]; before: string[] } {
    const key = keyOf(namespace)
    const step = this.#steps.get(key) ?? { ended: [], before: [] }
    this.#steps.set(key, step)
    return step
  }
}

/** The cause is a tool call, or else the only node of the step before. */
function causeOf({ input, triggers }: TaskPayload, before: string[]): JsonObject | undefined {
  const tool_call_id = toolCallIn(input)
  if (tool_call_id) return { type: 'toolCall', tool_call_id }
  const [from_node, ...others] = new Set(before)
  if (from_node === undefined || others.length > 0) return undefined
  return { type: triggers?.includes('__pregel_push') ? 'send' : 'edge', from_node }
}

function end(child: Child, status: AgentStatus): ChildEvent {
  const { namespace, graph_name, isNode } = child
  child.status = status
  return { namespace, isNode, data: { event: status, graph_name } }
}

/** A tool node's input has one call: with its context, beside the state (LangChain's agents), or in a list. */
function toolCallIn(input: unknown): string | undefined {
  const { tool_call, lg_tool_call } = (input ?? {}) as Record<string, { id?: unknown } | undefined>
  const call = Array.isArray(input) ? input[0] : (tool_call ?? lg_tool_call)
  return typeof call?.id === 'string' ? call.id : undefined
}

function keyOf(namespace: readonly string[]): string {
  return namespace.join('|')
}
