/** A component that the graph sent, as in the SDK's `ui` channel. */
export interface UiComponent {
  id: string
  name: string
  props: Record<string, unknown>
  metadata?: unknown
}

/** The components of the message: the JavaScript SDK's `push` writes `id`, the Python SDK's `message_id`. */
export function componentsOf(ui: unknown, messageId: string | undefined): UiComponent[] {
  if (!Array.isArray(ui) || messageId === undefined) return []
  return ui.filter(
    (one) =>
      one?.type === 'ui' &&
      (one.metadata?.message_id === messageId || one.metadata?.id === messageId),
  )
}
