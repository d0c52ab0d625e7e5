/** A run's `command` as the project's own LangGraph takes it. */

import type { RunCommand } from '../../../core/agent/run.ts'
import type { JsonValue } from '../../../core/json.ts'
import type { LangGraph } from '../modules/langgraph-package.ts'

/** `goto` may be a node's name, `{node, input}` (a `Send`), or a list of both. */
export function toCommand(langgraph: LangGraph, command: RunCommand): unknown {
  const { goto, update, resume } = command
  return new langgraph.Command({
    ...(goto !== undefined && goto !== null && { goto: toGoto(langgraph, goto) }),
    ...(update !== undefined && update !== null && { update }),
    ...(resume !== undefined && { resume }),
  })
}

function toGoto(langgraph: LangGraph, goto: JsonValue): unknown[] {
  const targets = Array.isArray(goto) ? goto : [goto]
  return targets.map((target) => {
    if (target === null || typeof target !== 'object' || Array.isArray(target)) return target
    return new langgraph.Send(String(target.node), target.input)
  })
}
