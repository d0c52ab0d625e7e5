/**
 * Where models and tools are at work, as the port says it: at their node. LangGraph's stream says so before 1.7, and at
 * their graph since then; what it calls them with always says so.
 */

interface Metadata {
  langgraph_checkpoint_ns?: string
}

/** `told`: the namespace in the stream. */
export function nodeNamespace(told: string[], { langgraph_checkpoint_ns }: Metadata): string[] {
  return langgraph_checkpoint_ns ? langgraph_checkpoint_ns.split('|') : told
}

/** What LangGraph tells of a tool's work. A tool that is called by no model has no id. */
interface ToolWork {
  event?: string | undefined
  toolCallId?: string | undefined
  name?: string | undefined
}

/** In which node each tool is at work. */
export class ToolPlaces {
  readonly #places = new Map<string, string[][]>()

  /** LangGraph tells of it later. */
  onStart(work: ToolWork, metadata: Metadata): void {
    const key = keyOf(work)
    this.#places.set(key, [...(this.#places.get(key) ?? []), nodeNamespace([], metadata)])
  }

  /** The namespace for what the stream tells in that of `told`. Models of different graphs may give two calls the same id. */
  namespace(told: string[], work: ToolWork): string[] {
    const places = this.#places.get(keyOf(work)) ?? []
    const at = places.findIndex((place) => told.every((part, i) => place[i] === part))
    const isLast = work.event === 'on_tool_end' || work.event === 'on_tool_error'
    return (isLast ? places.splice(at >>> 0, 1)[0] : places[at]) ?? told
  }
}

function keyOf({ toolCallId, name }: ToolWork): string {
  return toolCallId ?? name ?? ''
}
