/**
 * The port reports models and tools at their node. LangGraph's stream does so before 1.7, and reports their graph since
 * then; the metadata of their calls always names the node.
 */

interface Metadata {
  langgraph_checkpoint_ns?: string
}

/** `told`: the namespace in the stream. */
export function nodeNamespace(told: string[], { langgraph_checkpoint_ns }: Metadata): string[] {
  return langgraph_checkpoint_ns ? langgraph_checkpoint_ns.split('|') : told
}

/** LangGraph's event of a tool. A tool that no model called has no id. */
interface ToolWork {
  event?: string | undefined
  toolCallId?: string | undefined
  name?: string | undefined
}

/** The node in which each tool runs. */
export class ToolPlaces {
  readonly #places = new Map<string, string[][]>()

  /** LangGraph's stream reports the tool later. */
  onStart(work: ToolWork, metadata: Metadata): void {
    const key = keyOf(work)
    this.#places.set(key, [...(this.#places.get(key) ?? []), nodeNamespace([], metadata)])
  }

  /** The namespace of a tool event in `told`. Models of different graphs may give two calls the same id. */
  namespace(told: string[], work: ToolWork): string[] {
    const places = this.#places.get(keyOf(work)) ?? []
    const place = places.find((one) => told.every((part, i) => one[i] === part))
    if (!place) return told
    const isLast = work.event === 'on_tool_end' || work.event === 'on_tool_error'
    if (isLast) places.splice(places.indexOf(place), 1)
    return place
  }
}

function keyOf({ toolCallId, name }: ToolWork): string {
  return toolCallId ?? name ?? ''
}
