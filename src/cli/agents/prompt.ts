/** Asks the person at the terminal; elsewhere each line of standard input is an answer. */
import { createInterface } from 'node:readline'
import { isCancel, select, text } from '@clack/prompts'
import { plainText, say } from '../terminal/output.ts'
import { type Choice, chosen, type Question } from './answers.ts'

export interface Prompt {
  /** The next message; `undefined`: the conversation is over. */
  message(): Promise<string | undefined>
  /** The answer to the question; `undefined`: none. */
  answer(question: Question): Promise<unknown>
  close(): void
}

export function openPrompt(): Prompt {
  return process.stdin.isTTY ? new TerminalPrompt() : new LinePrompt()
}

/** Standard output is the agent's: questions are shown on standard error. */
const WHERE = { output: process.stderr }

class TerminalPrompt implements Prompt {
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
