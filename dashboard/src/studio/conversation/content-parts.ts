/** The parts of a message's content, in any of the known forms. */

export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  | { kind: 'image'; url: string; name: string }
  | { kind: 'audio'; url: string; name: string }
  | { kind: 'file'; url: string | undefined; name: string; type: string | undefined }
  /** An unknown form. */
  | { kind: 'other'; value: unknown }

type Block = Record<string, unknown>

/** Without tool calls, which have their own rows. */
export function partsOf(message: { content?: unknown; additional_kwargs?: unknown }): Part[] {
  const { content } = message
  const extra = objectOf(message.additional_kwargs)
  const thought = extra.reasoning_content
  const parts: Part[] = typeof thought === 'string' && thought ? [reasoning(thought)] : []
  if (typeof content === 'string') return content ? [...parts, text(content)] : parts
  const blocks = Array.isArray(content) ? content : []
  return joined([...parts, ...blocks.flatMap((block) => partOf(block) ?? [])])
}

const CALLS = new Set([
  'tool_use',
  'tool_call',
  'tool_call_chunk',
  'input_json_delta',
  'function_call',
])

function partOf(block: unknown): Part | undefined {
  if (typeof block === 'string') return text(block)
  const { type, ...rest } = objectOf(block)
  if (CALLS.has(String(type))) return undefined
  switch (type) {
    case 'text':
    case 'output_text':
      return text(String(rest.text ?? ''))
    case 'reasoning':
      return reasoning(String(rest.reasoning ?? summaryOf(rest.summary)))
    case 'thinking':
      return reasoning(String(rest.thinking ?? ''))
    case 'image':
    case 'image_url':
      return { kind: 'image', url: urlOf(rest) ?? '', name: nameOf(rest, 'Image') }
    case 'audio':
      return { kind: 'audio', url: urlOf(rest) ?? '', name: nameOf(rest, 'Audio') }
    case 'file':
    case 'document':
    case 'video':
      return { kind: 'file', url: urlOf(rest), name: nameOf(rest, 'File'), type: mimeOf(rest) }
    default:
      return { kind: 'other', value: block }
  }
}

/** The URL, or the data as a `data:` URL. */
function urlOf(block: Block): string | undefined {
  const { image_url, url, source, file } = block
  if (typeof image_url === 'string') return image_url
  if (image_url) return textOf(objectOf(image_url).url)
  if (typeof url === 'string') return url
  const inner = source ? objectOf(source) : file ? objectOf(file) : block
  const data = textOf(inner.data) ?? textOf(inner.base64) ?? textOf(inner.file_data)
  if (data === undefined) return textOf(inner.url)
  return data.startsWith('data:') ? data : `data:${mimeOf(inner) ?? ''};base64,${data}`
}

function mimeOf(block: Block): string | undefined {
  return textOf(block.mime_type) ?? textOf(block.mimeType) ?? textOf(block.media_type)
}

function nameOf(block: Block, otherwise: string): string {
  const { filename, name } = objectOf(block.metadata)
  return textOf(block.filename) ?? textOf(filename) ?? textOf(name) ?? otherwise
}

function summaryOf(summary: unknown): string {
  if (!Array.isArray(summary)) return ''
  return summary.map((one) => textOf(objectOf(one).text) ?? '').join('\n')
}

/** Joins adjacent pieces of one kind, since streams bring them word by word. */
function joined(parts: readonly Part[]): Part[] {
  const all: Part[] = []
  for (const part of parts) {
    const last = all.at(-1)
    if (part.kind === 'text' && last?.kind === 'text')
      all[all.length - 1] = text(last.text + part.text)
    else if (part.kind === 'reasoning' && last?.kind === 'reasoning')
      all[all.length - 1] = reasoning(last.text + part.text)
    else all.push(part)
  }
  return all.filter((part) => !('text' in part) || part.text !== '')
}

function text(value: string): Part {
  return { kind: 'text', text: value }
}

function reasoning(value: string): Part {
  return { kind: 'reasoning', text: value }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function objectOf(value: unknown): Block {
  return typeof value === 'object' && value !== null ? (value as Block) : {}
}
