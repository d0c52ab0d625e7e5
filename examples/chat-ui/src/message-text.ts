/** The plain text of a message's content, whichever of its forms it comes in. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((block) => (block?.type === 'text' ? String(block.text ?? '') : '')).join('')
}

export function callsOf(calls: readonly { name: string; args: unknown }[] | undefined): string[] {
  return (calls ?? []).map(({ name, args }) => `${name} ${JSON.stringify(args)}`)
}

export function senderOf(type: string): 'human' | 'agent' | 'tool' {
  if (type === 'human') return 'human'
  return type === 'tool' ? 'tool' : 'agent'
}

export function errorText(error: unknown): string | undefined {
  if (error === undefined || error === null) return undefined
  return error instanceof Error ? error.message : String(error)
}
