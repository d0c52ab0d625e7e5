/** The commands that talk to an agent: piped, and on a terminal. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { normalized } from '../support/agent/transcript.ts'
import { RUNYARD, startCommand } from '../support/processes/command.ts'
import { endTogether } from '../support/processes/end-together.ts'
import { hasProgram, run } from '../support/processes/program.ts'
import { startRunyard, type TestRunyard } from '../support/processes/runyard.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const EXAMPLE = resolve(import.meta.dirname, '../../examples/agent')
const GOLDEN = resolve(import.meta.dirname, '../golden/cli')
const NO_TERMINAL = hasProgram('script') ? undefined : 'there is no script'

/** Echoes; asks before it echoes "send". */
const GRAPH = `
import { AIMessage, ToolMessage } from '@langchain/core/messages'
import { interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'

function answer({ messages }) {
  const said = messages.at(-1).content
  if (said === 'break') throw new Error('broken on purpose')
  if (said !== 'send') return { messages: [new AIMessage('You said ' + said + '.')] }
  const decision = interrupt({
    action_requests: [{ name: 'send', args: { to: 'ann' } }],
    review_configs: [{ action_name: 'send', allowed_decisions: ['approve', 'reject'] }],
  })
  const [{ type }] = decision.decisions
  return {
    messages: [
      new ToolMessage({ content: 'sent', name: 'send', tool_call_id: '1' }),
      new AIMessage('It is: ' + type + '.'),
    ],
  }
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', answer)
  .addEdge(START, 'answer')
  .compile()
`

let runyard: TestRunyard
const folder = temporaryFolder()
let env: Record<string, string>
beforeAll(async () => {
  const agent = join(folder, 'agent')
  cpSync(join(EXAMPLE, 'package.json'), join(agent, 'package.json'))
  cpSync(join(EXAMPLE, 'package-lock.json'), join(agent, 'package-lock.json'))
  writeFileSync(join(agent, 'langgraph.json'), '{"graphs": {"agent": "./graph.ts:graph"}}')
  writeFileSync(join(agent, 'graph.ts'), GRAPH)
  runyard = await startRunyard()
  env = { RUNYARD_URL: runyard.url, RUNYARD_API_KEY: runyard.adminKey }
  const deployed = await onTerminal(`${RUNYARD} deploy agent --name talk`)
  expect(deployed).toMatch(/BUILDING \d:\d\d\s.*DEPLOYED \d:\d\d\s+http:\S+\/agents\/talk\s*$/s)
})
afterAll(async () => {
  await runyard.stop()
})

const cli = (args: string[], input?: string) =>
  startCommand(args, { cwd: folder, env, ...(input !== undefined && { input }) }).ended

/** What a terminal of 100 columns shows; `typed` is sent as soon as it shows `asked`. */
async function onTerminal(command: string, asked?: RegExp, typed: string[] = []): Promise<string> {
  return stripVTControlCharacters(await sentToTerminal(command, asked, typed))
}

/** The same, with the codes that make colours. */
async function sentToTerminal(command: string, asked?: RegExp, typed: string[] = []) {
  const shell = `stty cols 100 rows 30; ${command}`
  const child = spawn('script', ['--quiet', '--return', '--command', shell, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, TERM: 'xterm', ...env },
  })
  endTogether(child, 'SIGKILL')
  // What is typed at a command that has ended is lost; the test says what it did show.
  child.stdin.on('error', () => {})
  let sent = ''
  let read = 0
  const left = [...typed]
  // A letter of several bytes, or a code of the terminal, may come in two pieces.
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    sent += chunk
    const found = asked?.exec(stripVTControlCharacters(sent.slice(read)))
    const next = found ? left.shift() : undefined
    if (next === undefined) return
    read = sent.length
    child.stdin.write(next)
  })
  await once(child, 'close')
  return sent
}

it('a run prints what the agent says, and its thread beside it', async () => {
  const { code, stdout, stderr } = await cli(['run', 'talk', 'hello'])
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'You said hello.\n' })
  const [, thread] = /^Thread (\S+)\.$/m.exec(stderr) ?? []
  const more = await cli(['run', 'talk', '-', '--thread', String(thread), '--json'], 'more')
  expect(JSON.parse(more.stdout)).toMatchObject({
    thread_id: thread,
    interrupts: [],
    values: { messages: [{}, {}, { content: 'more' }, { content: 'You said more.' }] },
  })
})

it('a run that waits says how it is answered, and goes on when it is', async () => {
  const { code, stdout, stderr } = await cli(['run', 'talk', 'send'])
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(stderr).toContain('It asks: send {"to":"ann"}')
  const [, thread] = /--thread (\S+) --resume/.exec(stderr) ?? []
  const list = await cli(['threads', 'talk', '--status', 'interrupted', '--json'])
  expect(JSON.parse(list.stdout)).toMatchObject([{ thread_id: thread, status: 'interrupted' }])
  const answered = await cli(['chat', 'talk', '--thread', String(thread)], 'approve\n')
  expect(answered.stdout).toBe('← send: sent\nIt is: approve.\n')
})

it('a run that fails exits with 1 and says why', async () => {
  const { code, stderr } = await cli(['run', 'talk', 'break'])
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: /broken on purpose/ })
})

it('a conversation takes each line as a message, or as an answer', async () => {
  const { code, stdout, stderr } = await cli(['chat', 'talk'], 'one\nsend\nperhaps\nreject: no\n')
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'You said one.\n← send: sent\nIt is: reject.\n',
  })
  expect(stderr).toContain('Answer with approve, or reject: …')
  expect(stderr).toContain('That is none of approve, reject: ….')
})

it.skipIf(NO_TERMINAL)('on a terminal it asks for messages, and offers the answers', async () => {
  const shown = await onTerminal(`${RUNYARD} chat talk`, /◆.*└/s, ['send\r', '\r', '\r'])
  expect(shown).toMatch(/send \{"to":"ann"\}.*approve.*reject.*It is: approve\./s)
})

it('threads are a table', async () => {
  const { stdout } = await cli(['threads', 'talk', '-n', '1'])
  expect(stdout).toMatch(/^THREAD +STATUS +GRAPH +CREATED +UPDATED\n\S+ +(idle|error) +agent .*\n$/)
})

/** Each command shows what it is to be, in one shell. */
const LOOKS = [
  ...['status', 'status talk', 'deployments', 'revisions talk', 'threads talk -n 1'],
  ...[
    'logs talk --build -n 1',
    'keys list',
    'listeners list',
    'domains talk',
    'doctor --client',
    'run talk hello',
  ],
  ...['status gone', 'keys revoke abc', 'rollback talk --to abc', 'status --api-key wrong'],
]
/** Those that have colours, and a sentence that has none. */
const COLOURED = ['status', 'status talk', 'revisions talk', 'keys list', 'status gone']
const inOneShell = (commands: string[]) =>
  commands.map((one) => `echo '$ runyard ${one}'; ${RUNYARD} ${one}; echo`).join('; ')

it('looks as it always has in a pipe', async () => {
  const environment = { PATH: process.env.PATH, HOME: folder, ...env }
  const text = await run('sh', ['-c', `( ${inOneShell(LOOKS)} ) 2>&1`], { env: environment })
  await expect(comparable(text)).toMatchFileSnapshot(join(GOLDEN, 'piped.txt'))
})

it.skipIf(NO_TERMINAL)('looks as it always has on a terminal, in colours', async () => {
  const sent = await sentToTerminal(inOneShell(COLOURED))
  const text = sent.replaceAll('\r\n', '\n').replaceAll('\x1b', '␛')
  await expect(comparable(text)).toMatchFileSnapshot(join(GOLDEN, 'terminal.txt'))
})

it.skipIf(NO_TERMINAL)('without colours on a terminal that wants none', async () => {
  const sent = await sentToTerminal(`NO_COLOR=1 ${RUNYARD} status`)
  expect(sent).toBe(stripVTControlCharacters(sent))
})

/** What differs from run to run has a name; a column that is as wide as what differs stays so. */
function comparable(text: string): string {
  return normalized(text)
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '<moment>')
    .replaceAll(runyard.url, '<url>')
}

// After the tests that show the newest thread: it leaves one that waits.
it.skipIf(NO_TERMINAL)('Ctrl-D on a terminal ends the conversation quietly', async () => {
  const chat = `${RUNYARD} chat talk; echo "exit $?"`
  const ways = [['\x04'], ['send\r', '\x04']]
  for (const typed of ways) {
    const shown = await onTerminal(chat, /◆.*└/s, typed)
    expect(shown).toMatch(/exit 0\s*$/)
    expect(shown).not.toContain('Warning')
  }
})

it.skipIf(NO_TERMINAL)('Ctrl-C on a terminal ends the watching and not the rollout', async () => {
  // The shell hears it too, and goes on.
  const deploy = `trap : INT; ${RUNYARD} deploy agent --name talk; echo "exit $?"`
  const left = await onTerminal(deploy, /BUILDING/, ['\x03'])
  expect(left).toMatch(/The rollout goes on without this command.*exit 130\s*$/s)
  const again = await onTerminal(`${RUNYARD} status talk --watch; echo "exit $?"`)
  expect(again).toMatch(/DEPLOYED \d:\d\d\s.*exit 0\s*$/s)
})

it.each([
  [['run', 'gone', 'a'], 'There is no deployment gone'],
  [['run', 'talk', 'a', '--assistant', 'nobody'], 'nobody'],
])('%j is refused with what to do', async (args, why) => {
  expect(await cli(args)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(why),
  })
})
