/** A component that the graph has sent, as the SDK's `ui` channel keeps it. */
export interface UiComponent {
  id: string
  name: string
  props: Record<string, unknown>
  metadata?: unknown
}

/** Those that belong to the message: `push` of the JavaScript SDK writes `id`, that of Python `message_id`. */
export function componentsOf(ui: unknown, messageId: string | undefined): UiComponent[] {
  if (!Array.isArray(ui) || messageId === undefined) return []
  return ui.filter(
    (one) =>
      one?.type === 'ui' &&
      (one.metadata?.message_id === messageId || one.metadata?.id === messageId),
  )
}
