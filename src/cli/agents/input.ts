/** Reads the input of a graph from the command line. */
import { text } from 'node:stream/consumers'
import { looseJson } from './answers.ts'

/** A JSON object is the input itself; any other text is a message. `-` reads standard input. */
export async function readInput(said: string): Promise<unknown> {
  const whole = said === '-' ? (await text(process.stdin)).trim() : said
  const given = looseJson(whole)
  return typeof given === 'object' && given !== null ? given : messageOf(whole)
}

/** The input of a graph with `messages`. */
export function messageOf(content: string): object {
  return { messages: [{ role: 'human', content }] }
}
