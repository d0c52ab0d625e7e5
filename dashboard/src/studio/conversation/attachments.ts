/** Files attached to a message, in the forms that models of both languages accept. */

export interface Attachment {
  name: string
  type: string
  /** The contents as a `data:` address. */
  url: string
}

/** A larger file is refused: every checkpoint of the thread would contain it. */
export const MOST_BYTES = 8_000_000

export async function readAttachment(file: File): Promise<Attachment> {
  const type = file.type || 'application/octet-stream'
  return { name: file.name, type, url: await dataUrlOf(file) }
}

/** A message without files stays plain text, so that graphs without images need not handle blocks. */
export function contentOf(text: string, attachments: readonly Attachment[]): string | object[] {
  if (attachments.length === 0) return text
  return [...(text ? [{ type: 'text', text }] : []), ...attachments.map(blockOf)]
}

function blockOf({ name, type, url }: Attachment): object {
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  const data = url.slice(url.indexOf(',') + 1)
  return {
    type: 'file',
    source_type: 'base64',
    mime_type: type,
    data,
    metadata: { filename: name },
  }
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error(`${file.name} could not be read.`))
    reader.readAsDataURL(file)
  })
}
