/** The plain text of a message's content, in any of its forms. */
export function messageText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((block) => (typeof block === 'string' ? block : block?.type === 'text' ? block.text : ''))
    .join('')
}
