/** What people write on a command line, as the input of a graph. */
import { text } from 'node:stream/consumers'
import { looseJson } from './answers.ts'

/** A JSON object is the input itself; any other text is a message. `-`: it is read from standard input. */
export async function readInput(said: string): Promise<unknown> {
  const whole = said === '-' ? (await text(process.stdin)).trim() : said
  const given = looseJson(whole)
  return typeof given === 'object' && given !== null ? given : messageOf(whole)
}

/** What a graph with `messages` takes. */
export function messageOf(content: string): object {
  return { messages: [{ role: 'human', content }] }
}
