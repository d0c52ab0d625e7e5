/** Converts messages of the Agent2Agent protocol to LangChain's, and back. */
import type { Message, Part } from '@a2a-js/sdk'
import { ContentTypeNotSupportedError, RequestMalformedError } from '@a2a-js/sdk/errors'
import type { Interrupt } from '../../core/agent/thread.ts'
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { JsonValueSchema } from '../operations/json.ts'

/** The fields of a LangChain message that are read here. */
export interface ChainMessage {
  id?: string
  type?: string
  content?: JsonValue
}

/**
 * The graph input for a message. The fields of data parts become input fields; text and files become
 * one human message, in LangChain's standard content blocks. Throws for an empty message, and for text
 * or files to a graph that has no `messages`.
 */
export function toInput(message: Message, { hasMessages }: { hasMessages: boolean }): JsonObject {
  const fields = Object.assign({}, ...dataOf(message).filter(isObject)) as JsonObject
  const blocks = message.parts.flatMap(blockOf)
  if (blocks.length === 0 && Object.keys(fields).length === 0) {
    throw new RequestMalformedError('message.parts must hold text, a file or data.')
  }
  if (blocks.length === 0) return fields
  if (!hasMessages) {
    throw new ContentTypeNotSupportedError(
      'This agent takes no messages: send a data part whose fields are those of its input.',
    )
  }
  const [only] = blocks
  const isText = blocks.length === 1 && only?.type === 'text'
  return { ...fields, messages: [{ role: 'user', content: isText ? (only.text ?? '') : blocks }] }
}

/**
 * The resume value of a message that answers a graph's questions. Data parts `{id, value}`, lists of
 * them, or such a list under `interrupts` answer questions by id; any other data, or else the text,
 * answers the only question. Throws if the question is ambiguous.
 */
export function toResume(message: Message, open: readonly Interrupt[]): JsonValue {
  const data = dataOf(message)
  const answers = data.flatMap(answersIn)
  if (answers.length > 0) return Object.fromEntries(answers.map(({ id, value }) => [id, value]))
  if (open.length > 1) {
    const ids = open.map(({ id }) => id).join(', ')
    const form = '{"interrupts": [{"id": …, "value": …}]}'
    throw new RequestMalformedError(
      `The agent asks ${open.length} questions (${ids}): answer with a data part ${form}.`,
    )
  }
  const texts = message.parts.flatMap(textOf)
  if (data.length === 1 && data[0] !== undefined) return data[0]
  if (data.length > 1) return data
  if (texts.length > 0) return texts.join('\n')
  throw new RequestMalformedError('message.parts must hold the answer, as text or as data.')
}

/** A message's content as parts, without tool calls and the like. */
export function toParts(content: JsonValue | undefined): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content)]
  if (!Array.isArray(content)) return []
  return content.filter(isObject).flatMap(partOf)
}

export function textPart(text: string): Part {
  return {
    content: { $case: 'text', value: text },
    metadata: undefined,
    filename: '',
    mediaType: '',
  }
}

export function dataPart(value: JsonValue): Part {
  return { content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: '' }
}

/** Only the text of a message's content. */
export function textIn(content: JsonValue | undefined): string {
  return toParts(content).flatMap(textsOfPart).join('')
}

function textsOfPart({ content }: Part): string[] {
  return content?.$case === 'text' ? [content.value] : []
}

function dataOf({ parts }: Message): JsonValue[] {
  return parts.flatMap(({ content }) => {
    if (content?.$case !== 'data') return []
    const read = JsonValueSchema.safeParse(content.value)
    if (read.success) return [read.data]
    throw new RequestMalformedError(
      `A data part does not validate: ${read.error.issues[0]?.message}`,
    )
  })
}

function textOf(part: Part): string[] {
  return part.content?.$case === 'text' ? [part.content.value] : []
}

/** Data that is not an object becomes a text block. */
function blockOf({ content, filename, mediaType }: Part): JsonObject[] {
  const kind = { type: kindOf(mediaType), mimeType: mediaType || 'application/octet-stream' }
  const named = { ...kind, ...(filename && { metadata: { filename } }) }
  switch (content?.$case) {
    case 'text':
      return [{ type: 'text', text: content.value }]
    case 'raw':
      return [{ ...named, data: content.value.toString('base64') }]
    case 'url':
      return [{ ...named, url: content.value }]
    case 'data':
      return isObject(content.value) ? [] : [{ type: 'text', text: JSON.stringify(content.value) }]
    default:
      throw new RequestMalformedError('A part must hold text, a file or data.')
  }
}

function kindOf(mediaType: string): string {
  const [kind = ''] = mediaType.split('/')
  return ['image', 'audio', 'video'].includes(kind) ? kind : 'file'
}

function answersIn(data: JsonValue): { id: string; value: JsonValue }[] {
  const listed = isObject(data) && Array.isArray(data.interrupts) ? data.interrupts : data
  return [listed].flat().flatMap((one) => {
    if (!isObject(one) || typeof one.id !== 'string' || one.value === undefined) return []
    return [{ id: one.id, value: one.value }]
  })
}

function partOf(block: JsonObject): Part[] {
  const { type, text, data, url, mimeType, mime_type, metadata, image_url } = block
  if (type === 'text' && typeof text === 'string') return text === '' ? [] : [textPart(text)]
  if (type === 'image_url') return imagePart(image_url)
  const mediaType = String(mimeType ?? mime_type ?? '')
  const filename = isObject(metadata) ? String(metadata.filename ?? '') : ''
  const about = { metadata: undefined, filename, mediaType }
  if (!['image', 'audio', 'video', 'file'].includes(String(type))) return []
  if (typeof data === 'string') {
    return [{ content: { $case: 'raw', value: Buffer.from(data, 'base64') }, ...about }]
  }
  return typeof url === 'string' ? [{ content: { $case: 'url', value: url }, ...about }] : []
}

/** The older form of an image: a URL, or a data URL that holds the image. */
function imagePart(image: JsonValue | undefined): Part[] {
  const url = isObject(image) ? image.url : image
  if (typeof url !== 'string') return []
  const [, mediaType, base64] = /^data:([\w/+.-]+);base64,(.*)$/s.exec(url) ?? []
  const about = { metadata: undefined, filename: '' }
  if (!mediaType || base64 === undefined) {
    return [{ content: { $case: 'url', value: url }, ...about, mediaType: '' }]
  }
  return [{ content: { $case: 'raw', value: Buffer.from(base64, 'base64') }, ...about, mediaType }]
}
