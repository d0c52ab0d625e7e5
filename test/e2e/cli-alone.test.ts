/** The commands that need no Runyard: help, completion, new projects, and a doctor who finds none. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { close, listen } from '../../src/http/listen.ts'
import { startCommand } from '../support/processes/command.ts'
import { hasProgram, runNow } from '../support/processes/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const GOLDEN = resolve(import.meta.dirname, '../golden/cli')

const folder = temporaryFolder()

const cli = (args: string[], env: Record<string, string> = {}) =>
  startCommand(args, { cwd: folder, env }).ended

const COMMANDS = [
  ...[
    'up',
    'serve',
    'dev',
    'listener',
    'doctor',
    'move',
    'backup',
    'restore',
    'open',
    'new',
    'deploy',
    'status',
    'deployments',
    'revisions',
  ],
  ...[
    'logs',
    'rollback',
    'domains',
    'set',
    'delete',
    'listeners',
    'run',
    'chat',
    'threads',
    'keys',
  ],
  'rotate-encryption-key',
]

describe('help', () => {
  it('lists every command, and the exit codes', async () => {
    const { code, stdout } = await cli(['--help'])
    expect(code).toBe(0)
    await expect(stdout).toMatchFileSnapshot(join(GOLDEN, 'help.txt'))
    for (const name of COMMANDS) expect(stdout).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'))
  })

  const GROUPS = ['keys', 'listeners', 'domains', 'revisions']
  const SERVERS = ['up', 'serve', 'dev', 'listener']
  const SINGLE = COMMANDS.filter((name) => !GROUPS.includes(name))
  const PARTS = [
    ...['keys create', 'keys list', 'keys revoke', 'listeners create', 'listeners list'],
    ...['listeners new-key', 'listeners revoke-key', 'listeners delete'],
    ...['revisions list', 'revisions show'],
    ...['domains list', 'domains add', 'domains certificate', 'domains remove'],
  ]
  it.each([...SINGLE, ...GROUPS, ...PARTS])('of %s ends with examples', async (name) => {
    const { stdout } = await cli([...name.split(' '), '--help'])
    expect(stdout).toMatch(
      new RegExp(`\\nExamples:\\n( {2}# .*\\n {2}.*runyard ${name}\\b.*\\n)+$`),
    )
    // Those of servers list every variable, as the README does, which is generated.
    if (SERVERS.includes(name)) return
    if (!GROUPS.includes(name)) expect(stdout).toContain('--json')
    await expect(stdout).toMatchFileSnapshot(join(GOLDEN, `help-${name.replace(' ', '-')}.txt`))
  })
})

describe('wrong usage', () => {
  it('is told with where the right one stands, and exits with 2', async () => {
    const wrong = [
      ['statsu'],
      ['status', '--foo'],
      ['status', '--watch'],
      ['deploy'],
      ['logs', 'support', '-n', 'x'],
      ['threads', 'support', '-n', '0'],
      ['threads', 'support', '--status', 'sad'],
      ['keys', 'create', '--name', 'ci', '--role', 'king'],
      ['keys', 'create', '--name', 'ci', '--role', 'agent', '--expires-in', 'soon'],
      ['listeners', 'create', 'east', '--namespaces', 'a,,b'],
      ['run', 'support'],
      ['run', 'support', 'a', '--resume', 'b'],
      ['run', 'support', '--resume', 'b'],
      ['run', 'support', 'a', '--thread', 'nonesuch'],
      ['restore'],
      ['domains'],
      ['domains', 'add', 'support', 'a.example.com', '--key', 'key.pem'],
      ['domains', 'certificate', 'support', 'a.example.com'],
      ['set', 'support'],
      ['set', 'support', '--public', '--private'],
    ]
    const told: string[] = []
    for (const args of wrong) {
      const { code, stdout, stderr } = await cli(args, { RUNYARD_API_KEY: 'x' })
      expect({ code, stdout }, args.join(' ')).toEqual({ code: 2, stdout: '' })
      told.push(`$ runyard ${args.join(' ')}\n${stderr}`)
    }
    await expect(told.join('\n')).toMatchFileSnapshot(join(GOLDEN, 'wrong-usage.txt'))
  })
})

const SHELLS = ['bash', 'zsh', 'fish']

describe('completion', () => {
  it.each(SHELLS)('has a script for %s', async (shell) => {
    const { code, stdout } = await cli(['completion', shell])
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: /runyard/ })
  })

  // Not every machine has every shell.
  const there = SHELLS.filter((shell) => shell === 'bash' || hasProgram(shell))
  it.each(there)('has a script that %s takes', async (shell) => {
    const { stdout } = await cli(['completion', shell])
    const script = join(folder, `completion.${shell}`)
    writeFileSync(script, stdout)
    expect(runNow(shell, ['-n', script])).toBe('')
  })

  it.each([
    [['st'], 'status\t'],
    [['deploy', '--na'], '--name\t'],
    [['keys', 'cr'], 'create\t'],
    [['listeners', 'new'], 'new-key\t'],
    [['domains', 'cert'], 'certificate\t'],
    [['set', 'support', '--pu'], '--public\t'],
    [['threads', 'support', '--status', ''], 'interrupted\t'],
  ])('of %j begins with %j', async (words, suggestion) => {
    const { stdout } = await cli(['complete', '--', ...words])
    expect(stdout).toContain(suggestion)
  })

  it('completes in a shell', async () => {
    const { stdout } = await cli(['completion', 'bash'])
    const bin = resolve(import.meta.dirname, '../../bin')
    // What the package bash-completion has for every such script.
    const words = '_get_comp_words_by_ref() { words=(runyard dep); cword=1 cur=dep prev=runyard; }'
    const print = `printf '%s\\n' "\${COMPREPLY[@]}"`
    const script = [words, stdout, '__runyard_complete', print].join('\n')
    const env = { PATH: `${bin}:${process.env.PATH}` }
    const shown = runNow('bash', ['-c', script], { env })
    expect(shown).toMatch(/^deploy\b.*\ndeployments\b/)
  })
})

describe('a new project', () => {
  it.each(['typescript', 'python'])('in %s has what a build takes', async (language) => {
    const name = `my-${language}`
    const { code, stdout } = await cli(['new', name, '--language', language])
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: /runyard deploy --name my-/ })
    expect(existsSync(join(folder, name, '.gitignore'))).toBe(true)
    const readme = readFileSync(join(folder, name, 'README.md'), 'utf8')
    expect(readme).toContain(`# ${name}\n`)
    const sent = await cli(['deploy', name, '--name', name, '--dry-run', '--json'])
    expect(sent).toMatchObject({ code: 0 })
    const { files } = JSON.parse(sent.stdout) as { files: { path: string }[] }
    const text = files.map(({ path }) => readFileSync(join(folder, name, path), 'utf8')).join('\n')
    expect(text).not.toContain('runyard-example')
  })

  it('does not take a folder that has something', async () => {
    await cli(['new', 'twice'])
    expect(await cli(['new', 'twice'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not empty'),
    })
    writeFileSync(join(folder, 'file'), '')
    expect(await cli(['new', 'file'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("cannot be a project's folder (ENOTDIR)"),
    })
  })

  it('has a name that a deployment may have', async () => {
    const { code, stderr } = await cli(['new', 'No Name'])
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: /is no name for a deployment/ })
  })
})

describe('the doctor of a client', () => {
  it('says that nothing answers, and where to say otherwise', async () => {
    const { code, stdout } = await cli(['doctor', '--client', '--json'], {
      RUNYARD_URL: 'http://127.0.0.1:9',
      RUNYARD_API_KEY: 'x',
    })
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject([{ what: 'address', status: 'failed' }])
  })

  it('says that a key could not be tried where the answer breaks off', async () => {
    const server = createServer((req, res) => (req.url === '/ok' ? res.end() : res.destroy()))
    const RUNYARD_URL = await listen(server, { host: '127.0.0.1', port: 0 })
    const env = { RUNYARD_URL, RUNYARD_API_KEY: 'x' }
    const { code, stdout } = await cli(['doctor', '--client', '--json'], env)
    await close(server)
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject([
      { what: 'address', status: 'ok' },
      { what: 'key', status: 'failed', says: expect.stringContaining('could not be tried: ') },
    ])
  })
})
