/** `runyard run` */
import type { Command } from 'commander'
import { clientCommand, connected } from '../connection.ts'
import { threadId } from '../option-readers.ts'
import { INTERRUPTED_EXIT_CODE, untilInterrupted } from '../terminal/interruption.ts'
import { plainText, printJson, say } from '../terminal/output.ts'
import { looseJson, questionOf } from './answers.ts'
import { readInput } from './input.ts'
import { MessagePrinter } from './message-printer.ts'
import { type Agent, openAgent } from './open-agent.ts'
import { createThread, type TurnEnd, type TurnStart, takeTurn } from './turn.ts'

interface RunOptions {
  assistant?: string
  thread?: string
  resume?: string
}

export function runCommand(): Command {
  return clientCommand('run', 'run an agent once, and print what it answers as it comes', [
    ['runyard run support "Where is my order?"', 'a message, on a new thread'],
    ['runyard run report \'{"topic": "tides"}\' --json', 'an input of its own; the state as JSON'],
    ['runyard run support --thread 1f0c… --resume approve', 'answer what a thread waits for'],
  ])
    .argument('<name>', 'the deployment')
    .argument('[input]', 'a text, a JSON object, or - for standard input')
    .option('--assistant <id>', 'its id or its graph (default: the only graph)')
    .option('--thread <id>', 'go on with this thread (default: a new one)', threadId)
    .option('--resume <answer>', 'what the thread’s interrupt is answered with: a text, or JSON')
    .action(async (name: string, input: string | undefined, options, command: Command) =>
      connected(options, async ({ client, isJson }) => {
        const { assistant, thread, resume } = options as RunOptions
        requireOne(command, input, resume)
        if (resume !== undefined && thread === undefined) {
          command.error('error: --resume needs --thread: which thread is answered?')
        }
        const start = await readStart(input, resume)
        const agent = await openAgent(client, name, assistant)
        const thread_id = thread ?? (await createThread(agent))
        await runOnce(agent, { thread_id, start, isJson, name })
      }),
    )
}

async function readStart(
  input: string | undefined,
  resume: string | undefined,
): Promise<TurnStart> {
  if (resume !== undefined) return { command: { resume: looseJson(resume) } }
  return { input: await readInput(input ?? '-') }
}

function requireOne(command: Command, input: string | undefined, resume: string | undefined): void {
  if (input !== undefined && resume !== undefined) {
    command.error('error: Either an input or --resume: a run begins with one of them.')
  }
  if (input !== undefined || resume !== undefined) return
  command.error('error: Say what it is to begin with: a text, a JSON object, or -.')
}

async function runOnce(
  agent: Agent,
  {
    thread_id,
    start,
    isJson,
    name,
  }: { thread_id: string; start: TurnStart; isJson: boolean; name: string },
): Promise<void> {
  const signal = untilInterrupted()
  let hasPrinted = false
  const printer = new MessagePrinter((text) => {
    hasPrinted = true
    process.stdout.write(text)
  })
  const onPiece = isJson ? () => {} : printer.piece.bind(printer)
  try {
    const end = await takeTurn(agent, { thread_id, start, onPiece, signal })
    printer.end()
    if (isJson) printJson({ thread_id, ...end })
    else report(end, { thread_id, name, hasPrinted })
    if (end.error) process.exitCode = 1
  } catch (error) {
    if (!signal.aborted) throw error
    printer.end()
    say(`The run goes on without this command, on thread ${thread_id}.`)
    process.exitCode = INTERRUPTED_EXIT_CODE
  }
}

/** Everything but the agent's own words goes to standard error. */
function report(
  { values, interrupts, error }: TurnEnd,
  { thread_id, name, hasPrinted }: { thread_id: string; name: string; hasPrinted: boolean },
): void {
  const isOver = !error && interrupts.length === 0
  // A graph without messages has printed nothing yet.
  if (isOver && !hasPrinted) printJson(values)
  if (error) say(plainText(`${error.error}: ${error.message}`))
  for (const interrupt of interrupts) say(plainText(`It asks: ${questionOf(interrupt).text}`))
  const how = `"runyard run ${name} --thread ${thread_id} --resume ANSWER"`
  say(
    interrupts.length === 0
      ? `Thread ${thread_id}.`
      : `Answer with ${how}, or in "runyard chat ${name} --thread ${thread_id}".`,
  )
}
