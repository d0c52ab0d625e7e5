/** Prints the messages of a run as they come: text as it is, and one line for each tool call or answer. */
import { plainText } from '../terminal/output.ts'
import { style } from '../terminal/style.ts'

/** A message, or a piece of one, as the stream mode `messages-tuple` sends it. */
export interface MessagePiece {
  id?: string | null
  /** `ai`, `AIMessageChunk`, `tool`, `human`, … */
  type: string
  content?: string | readonly ContentBlock[] | null
  tool_calls?: readonly { name: string; args: unknown }[]
  tool_call_chunks?: readonly { name?: string | null }[]
  /** The tool's name, in its message. */
  name?: string | null
}

interface ContentBlock {
  type?: string
  text?: string
  reasoning?: string
  thinking?: string
}

/** How much of a tool's answer is printed. */
const MOST_CHARACTERS = 200

export class MessagePrinter {
  readonly #print: (text: string) => void
  /** Whether the last printed character was not the end of a line. */
  #isInLine = false

  /** `print` writes text unchanged, without a line break. */
  constructor(print: (text: string) => void) {
    this.#print = print
  }

  piece(piece: MessagePiece): void {
    if (piece.type === 'tool') this.#line(`← ${piece.name ?? 'tool'}: ${short(textOf(piece))}`)
    else if (/^(ai|AIMessage)/.test(piece.type)) this.#answer(piece)
  }

  /** Ends the present line. */
  end(): void {
    if (this.#isInLine) this.#print('\n')
    this.#isInLine = false
  }

  #answer(piece: MessagePiece): void {
    const reasoning = reasoningOf(piece)
    if (reasoning) this.#text(style('dim', plainText(reasoning)))
    this.#text(plainText(textOf(piece)))
    for (const name of calledTools(piece)) this.#line(`→ ${name}`)
  }

  #text(text: string): void {
    if (text === '') return
    this.#print(text)
    this.#isInLine = !text.endsWith('\n')
  }

  #line(text: string): void {
    this.end()
    this.#print(`${style('dim', plainText(text))}\n`)
  }
}

function textOf({ content }: MessagePiece): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((block) => block.text ?? '').join('')
}

function reasoningOf({ content }: MessagePiece): string {
  if (!Array.isArray(content)) return ''
  return content.map(({ reasoning, thinking }) => reasoning ?? thinking ?? '').join('')
}

/** Pieces name a tool once, where its call begins; a whole message has the calls. */
function calledTools({ tool_call_chunks, tool_calls }: MessagePiece): string[] {
  const calls = tool_call_chunks?.length ? tool_call_chunks : (tool_calls ?? [])
  return calls.map(({ name }) => name ?? '').filter((name) => name !== '')
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line
}
