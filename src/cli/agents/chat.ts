/** `runyard chat` */

import { createInterface } from 'node:readline'
import { isCancel, select, text, updateSettings } from '@clack/prompts'
import type { Command } from 'commander'
import { clientCommand, connected } from '../connection.ts'
import { threadId } from '../option-readers.ts'
import { INTERRUPTED_EXIT_CODE, untilInterrupted } from '../terminal/interruption.ts'
import { plainText, say } from '../terminal/output.ts'
import { type Choice, chosen, type Interrupt, type Question, questionOf } from './answers.ts'
import { messageOf } from './input.ts'
import { MessagePrinter } from './message-printer.ts'
import { type Agent, openAgent } from './open-agent.ts'
import { createThread, type TurnStart, takeTurn } from './turn.ts'

export function chatCommand(): Command {
  return clientCommand('chat', 'talk to an agent in the terminal', [
    ['runyard chat support', 'a new conversation'],
    ['runyard chat support --thread 1f0c…', 'go on with one'],
    ['echo "Where is my order?" | runyard chat support', 'each line is a message'],
  ])
    .argument('<name>', 'the deployment')
    .option('--assistant <id>', 'its id or its graph (default: the only graph)')
    .option('--thread <id>', 'go on with this thread (default: a new one)', threadId)
    .action(async (name: string, options) =>
      connected(options, async ({ client, isJson }) => {
        const agent = await openAgent(client, name, options.assistant)
        const isNew = options.thread === undefined
        const thread_id = isNew ? await createThread(agent) : options.thread
        say(`Thread ${thread_id}.`)
        await new Conversation(agent, { thread_id, isJson }).hold({ isNew })
      }),
    )
}

class Conversation {
  readonly #agent: Agent
  readonly #thread_id: string
  readonly #isJson: boolean
  readonly #prompt: Prompt = openPrompt()
  readonly #printer = new MessagePrinter((text) => process.stdout.write(text))
  readonly #signal = untilInterrupted()

  constructor(agent: Agent, { thread_id, isJson }: { thread_id: string; isJson: boolean }) {
    this.#agent = agent
    this.#thread_id = thread_id
    this.#isJson = isJson
  }

  async hold({ isNew }: { isNew: boolean }): Promise<void> {
    try {
      let open = isNew ? [] : await this.#openInterrupts()
      for (;;) {
        const start = await this.#next(open)
        if (!start) return
        open = await this.#turn(start)
      }
    } catch (error) {
      if (!this.#signal.aborted) throw error
      this.#printer.end()
      process.exitCode = INTERRUPTED_EXIT_CODE
    } finally {
      this.#prompt.close()
    }
  }

  /** Interrupts that are still open from the last time. */
  async #openInterrupts(): Promise<Interrupt[]> {
    const path = `/threads/${encodeURIComponent(this.#thread_id)}/state`
    const { interrupts } = await this.#agent.server.call<{ interrupts?: Interrupt[] }>('GET', path)
    return interrupts ?? []
  }

  /** `undefined`: the conversation is over. */
  async #next(open: Interrupt[]): Promise<TurnStart | undefined> {
    if (open.length === 0) {
      const message = await this.#prompt.message()
      return message === undefined ? undefined : { input: messageOf(message) }
    }
    const answers: [string, unknown][] = []
    for (const interrupt of open) {
      const answer = await this.#prompt.answer(questionOf(interrupt))
      if (answer === undefined) return undefined
      answers.push([interrupt.id ?? '', answer])
    }
    const [only] = answers
    const resume = answers.length === 1 ? only?.[1] : Object.fromEntries(answers)
    return { command: { resume } }
  }

  /** Returns the interrupts that are open now. */
  async #turn(start: TurnStart): Promise<Interrupt[]> {
    const printer = this.#printer
    const { error, interrupts, values, run_id } = await takeTurn(this.#agent, {
      thread_id: this.#thread_id,
      start,
      onPiece: (piece) => {
        if (!this.#isJson) printer.piece(piece)
      },
      signal: this.#signal,
    })
    printer.end()
    // One object a line: a conversation has no end of its own.
    if (this.#isJson) {
      const thread_id = this.#thread_id
      console.log(JSON.stringify({ thread_id, run_id, values, interrupts, error }))
    }
    if (error) say(plainText(`${error.error}: ${error.message}`))
    return interrupts
  }
}

// Asks the person at the terminal; elsewhere each line of standard input is an answer.

interface Prompt {
  /** The next message; `undefined`: the conversation is over. */
  message(): Promise<string | undefined>
  /** The answer to the question; `undefined`: none. */
  answer(question: Question): Promise<unknown>
  close(): void
}

function openPrompt(): Prompt {
  return process.stdin.isTTY ? new TerminalPrompt() : new LinePrompt()
}

/** Standard output is the agent's: questions are shown on standard error. */
const WHERE = { output: process.stderr }

class TerminalPrompt implements Prompt {
  constructor() {
    // Ctrl-D closes the reader of a prompt without settling it.
    updateSettings({ aliases: { '\x04': 'cancel' } })
  }

  async message(): Promise<string | undefined> {
    const said = await text({ message: 'You', placeholder: 'a message; empty to leave', ...WHERE })
    return isCancel(said) || !said ? undefined : said
  }

  async answer({ text: asked, choices }: Question): Promise<unknown> {
    say(plainText(asked))
    const choice = await this.#choose(choices)
    if (choice === undefined) return undefined
    if (choice.asks === undefined) return choice.answer('')
    const said = await text({ message: `${choice.name}: ${choice.asks}`, ...WHERE })
    return isCancel(said) ? undefined : choice.answer(said ?? '')
  }

  close(): void {}

  async #choose(choices: Choice[]): Promise<Choice | undefined> {
    if (choices.length === 1) return choices[0]
    const options = choices.map(({ name }) => ({ value: name, label: name }))
    const name = await select({ message: 'How is it answered?', options, ...WHERE })
    return isCancel(name) ? undefined : choices.find((choice) => choice.name === name)
  }
}

class LinePrompt implements Prompt {
  readonly #reader = createInterface({ input: process.stdin })
  readonly #lines = this.#reader[Symbol.asyncIterator]()

  async message(): Promise<string | undefined> {
    for (;;) {
      const { value, done } = await this.#lines.next()
      if (done) return undefined
      if (value.trim() !== '') return value
    }
  }

  async answer(question: Question): Promise<unknown> {
    const names = question.choices.map(({ name, asks }) => (asks ? `${name}: …` : name))
    say(plainText(`It asks: ${question.text}\nAnswer with ${names.join(', or ')}`))
    for (;;) {
      const line = await this.message()
      if (line === undefined) return undefined
      const found = chosen(question, line)
      if (found) return found.choice.answer(found.said)
      say(`That is none of ${names.join(', ')}.`)
    }
  }

  close(): void {
    this.#reader.close()
  }
}
