/** The commands, their options and their help. `main.ts` runs the servers. */
import { Command, CommanderError, Option } from 'commander'
import { AppError } from '../core/errors.ts'
import {
  type BuildConfig,
  type DevConfig,
  type FetchConfig,
  type ListenerConfig,
  readBuildConfig,
  readClientConfig,
  readDevConfig,
  readFetchConfig,
  readListenerConfig,
  readServeConfig,
  readUpConfig,
  type ServeConfig,
  type UpConfig,
} from '../settings/config.ts'
import { optionOf, variablesOf } from '../settings/documentation.ts'
import type { Flags } from '../settings/settings.ts'
import type { Reader } from '../settings/table.ts'
import { readVersion } from '../version.ts'
import { type Finding, findConnection } from './connection-findings.ts'
import { type DataCommands, dataCommands } from './data-commands.ts'
import { describeExamples } from './examples.ts'

/** The part of `main.ts` that commands call. Each settles when the server has stopped. */
interface ServerCommands extends DataCommands {
  up(config: UpConfig, options: { isTiedToParent: boolean }): Promise<void>
  serve(config: ServeConfig, options: { isManaged: boolean; isHelper: boolean }): Promise<void>
  dev(config: DevConfig): Promise<void>
  listener(config: ListenerConfig): Promise<void>
  /** Settles when everything is printed. Sets exit code 1 when a check failed. */
  doctor(config: UpConfig, options: { isJson: boolean }): Promise<void>
  /** Settles when everything is fetched. */
  fetchArtifact(config: FetchConfig): Promise<void>
  /** Settles when the build has ended. Sets exit code 1 after a failure. */
  buildArtifact(config: BuildConfig): Promise<void>
  /** Settles when the bundle is written, or the reason for none is printed. */
  bundleProject(configPath: string): Promise<void>
  /** Prints findings of other checks in the same form. */
  printFindings(findings: Finding[], options: { isJson: boolean }): Promise<void>
}

/** The width of the help. The names of variables are long, so that 80 columns would leave little room. */
const HELP_WIDTH = 110
const EXAMPLES = describeExamples([
  ['runyard up', 'everything on this machine; leave it running'],
  [
    'runyard new support && runyard deploy support --name support',
    'a project of your own, at work',
  ],
  ['runyard chat support', 'a talk with it'],
])
const EXIT_CODES = `
Exit codes:
  0    done; for a rollout: the revision is DEPLOYED; for a run: it has not failed
  1    refused or failed: the last line says why, and what to do
  2    wrong usage
  130  Ctrl-C: what was watched goes on

Shell completion: runyard completion --help`
/** How long the process of a failed command may still run, in ms. */
const LAST_MOMENT_MS = 2_000
/**
 * Runs one command. Only commands that start a server call `loadMain`, so that the others need not load
 * it. Sets the exit code: 0 done, 1 failed, 2 wrong usage.
 */
export async function runCommand(
  args: string[],
  loadMain: () => Promise<ServerCommands>,
): Promise<void> {
  try {
    const program = createProgram(loadMain)
    if (!isServerCommand(args[0])) await addClientCommands(program)
    nameHelpInErrors(program, 'runyard')
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = report(error)
    // Ends a failed process even if a part has left something open.
    setTimeout(() => process.exit(), LAST_MOMENT_MS).unref()
  }
}

/** Errors of usage begin with `runyard:` and name the help. */
function nameHelpInErrors(command: Command, path: string): void {
  command
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'runyard: ')) })
    .showHelpAfterError(`"${path} --help" says how it is used.`)
  for (const child of command.commands) nameHelpInErrors(child, `${path} ${child.name()}`)
}

/**
 * Whether the command runs a server, or prepares the start of one. Each deployment has such a process, so it
 * loads nothing that it does not need.
 */
function isServerCommand(name: string | undefined): boolean {
  return name !== undefined && ['up', 'serve', 'dev', 'listener', 'artifact'].includes(name)
}

async function addClientCommands(program: Command): Promise<void> {
  const { clientCommands } = await import('./client-commands.ts')
  for (const command of clientCommands()) program.addCommand(command)
  const { default: addCompletion } = await import('@bomb.sh/tab/commander')
  addCompletion(program, { completionCommandName: 'completion' })
}

function createProgram(loadMain: () => Promise<ServerCommands>): Command {
  const program = new Command('runyard')
    .description('A self-hosted control plane and agent server for LangGraph agents.')
    .version(readVersion())
    .addHelpText('after', EXAMPLES)
    .addHelpText('after', EXIT_CODES)
    .exitOverride()
  program.addCommand(upCommand(loadMain))
  program.addCommand(serveCommand(loadMain))
  program.addCommand(devCommand(loadMain))
  program.addCommand(listenerCommand(loadMain))
  program.addCommand(doctorCommand(loadMain))
  program.addCommand(artifactCommand(loadMain), { hidden: true })
  for (const command of dataCommands(loadMain)) program.addCommand(command)
  return program
}

function upCommand(loadMain: () => Promise<ServerCommands>): Command {
  return new Command('up')
    .description('start the control plane and the gateway, and every deployment')
    .option(...optionOf('RUNYARD_HOST', 'up'))
    .option(...optionOf('RUNYARD_PORT', 'up'))
    .option(...optionOf('RUNYARD_DATA_DIR', 'up'))
    .option(...optionOf('RUNYARD_DATABASE_URL', 'up'))
    .option('--exit-with-parent', 'stop when the process that started it is gone')
    .addHelpText('after', ({ command }) => describeVariables(command, ['up']))
    .addHelpText(
      'after',
      describeExamples([
        ['runyard up', 'everything in ./.runyard, on SQLite'],
        ['runyard up --database-url postgres://… --port 80', 'on PostgreSQL'],
      ]),
    )
    .exitOverride()
    .action(async (options: Record<string, string | true>) => {
      const { exitWithParent, ...flags } = options
      const config = readUpConfig(flags as Flags)
      await (await loadMain()).up(config, { isTiedToParent: exitWithParent === true })
    })
}

function serveCommand(loadMain: () => Promise<ServerCommands>): Command {
  return new Command('serve')
    .description('serve one project by itself')
    .option('--config <file>', 'the project (default: langgraph.json in the current folder)')
    .option(...optionOf('RUNYARD_HOST', 'serve'))
    .option(...optionOf('RUNYARD_PORT', 'serve'))
    .option(...optionOf('RUNYARD_DATA_DIR', 'serve'))
    .option(...optionOf('RUNYARD_DATABASE_URL', 'serve'))
    .option('--workers <n>', 'so many processes execute the runs (default: 1, this one)')
    .option(...optionOf('RUNYARD_ROLE', 'serve'))
    .addOption(new Option('--managed', 'as the child of a process driver').hideHelp())
    .addOption(new Option('--helper', 'as a worker of the serve that has started it').hideHelp())
    .addHelpText('after', ({ command }) => describeVariables(command, ['serve', 'project']))
    .addHelpText(
      'after',
      describeExamples([
        ['runyard serve', 'the project in the current folder, at http://127.0.0.1:2024'],
        ['runyard serve --config agents/support/langgraph.json --port 0', 'on a free port'],
      ]),
    )
    .exitOverride()
    .action(async (options: Record<string, string | true>) => {
      const { managed, helper, ...flags } = options
      const config = readServeConfig(flags as Flags)
      const whose = { isManaged: managed === true, isHelper: helper === true }
      await (await loadMain()).serve(config, whose)
    })
}

function devCommand(loadMain: () => Promise<ServerCommands>): Command {
  const [portFlag, port] = optionOf('RUNYARD_PORT', 'serve')
  return new Command('dev')
    .description('serve one project, and reload it whenever one of its files changes')
    .option('-c, --config <file>', 'the project (default: langgraph.json in the current folder)')
    .option(...optionOf('RUNYARD_HOST', 'serve'))
    .option(`-p, ${portFlag}`, port)
    .option(...optionOf('RUNYARD_DATA_DIR', 'serve'))
    .option(...optionOf('N_JOBS_PER_WORKER', 'serve'))
    .option('--no-reload', 'do not watch the files: the same as serve')
    .addOption(new Option('--no-browser', 'nothing is ever opened').hideHelp())
    .addHelpText('after', ({ command }) => describeVariables(command, ['serve', 'project']))
    .addHelpText('after', describeExamples([['runyard dev', 'while you change its files']]))
    .exitOverride()
    .action(async ({ reload, browser: _, ...options }: Record<string, string | boolean>) => {
      const config = readDevConfig(options as Flags)
      const main = await loadMain()
      await (reload ? main.dev(config) : main.serve(config, { isManaged: false, isHelper: false }))
    })
}

function listenerCommand(loadMain: () => Promise<ServerCommands>): Command {
  return new Command('listener')
    .description('run deployments in this cluster for a remote control plane')
    .option(...optionOf('RUNYARD_URL', 'listener'))
    .option(...optionOf('RUNYARD_HOST', 'listener'))
    .option(...optionOf('RUNYARD_PORT', 'up'))
    .option('--data-dir <folder>', 'everything that it writes (default: .runyard/listener)')
    .addHelpText('after', ({ command }) => describeVariables(command, ['listener']))
    .addHelpText(
      'after',
      describeExamples([
        [
          'RUNYARD_API_KEY=ryl_… RUNYARD_RUNTIME=kubernetes runyard listener --url https://runyard.example.com',
          'with the key that "runyard listeners create" has printed',
        ],
      ]),
    )
    .exitOverride()
    .action(async (options: Record<string, string>) => {
      const config = readListenerConfig(options)
      await (await loadMain()).listener(config)
    })
}

function doctorCommand(loadMain: () => Promise<ServerCommands>): Command {
  return new Command('doctor')
    .description('check this machine and the data folder, and suggest fixes')
    .option('--host <host>', 'as for up')
    .option('--port <port>', 'as for up')
    .option('--data-dir <folder>', 'as for up')
    .option('--client', 'look from here at a Runyard elsewhere: does it answer, is the key good')
    .option(...optionOf('RUNYARD_URL', 'commands'))
    .option(...optionOf('RUNYARD_API_KEY', 'commands'))
    .option('--json', 'answer with JSON')
    .addHelpText(
      'after',
      describeExamples([
        ['runyard doctor', 'on the machine of a Runyard'],
        ['runyard doctor --client --url https://agents.example.com', 'from anywhere else'],
      ]),
    )
    .exitOverride()
    .action(async (options: Record<string, string | true>) => {
      const { json, client, url, apiKey, ...flags } = options
      const isJson = json === true
      const main = await loadMain()
      if (!client) return main.doctor(readUpConfig(flags as Flags), { isJson })
      const found = await findConnection(readClientConfig({ url, apiKey } as Flags))
      await main.printFindings(found, { isJson })
    })
}

/** The first command in a deployment's pods, and the last one of builds in containers. */
function artifactCommand(loadMain: () => Promise<ServerCommands>): Command {
  const fetchOne = new Command('fetch')
    .description('fetch what was built into a folder: what the pods of a deployment begin with')
    .requiredOption('--into <folder>', 'where to; empty, or what an earlier fetch has left')
    .addHelpText(
      'after',
      `
Variables:
  RUNYARD_ARTIFACT_URL     the signed address; several, separated by a space, are tried in turn
  RUNYARD_ARTIFACT_DIGEST  the SHA-256 of what is there, in hex

Exit codes:
  0   all of it is there
  1   refused: trying again does not help
  75  not now: the address does not answer, or not with all of it`,
    )
    .exitOverride()
    .action(async (options: Record<string, string>) => {
      const config = readFetchConfig(options)
      await (await loadMain()).fetchArtifact(config)
    })
  const buildOne = new Command('build')
    .description('build a fetched source and send what it gives: what the Job of a build runs')
    .requiredOption('--task <file>', 'what is to be built, as the control plane says it')
    .requiredOption('--in <folder>', 'where to; empty')
    .requiredOption('--said <file>', 'where it writes how it has ended')
    .exitOverride()
    .action(async (options: { task: string; in: string; said: string }) => {
      await (await loadMain()).buildArtifact(readBuildConfig(options))
    })
  const bundle = new Command('bundle')
    .description(
      'write the modules of an installed project into one file, and the schemas of its graphs: what a build in a container ends with',
    )
    .argument('<config>', 'its langgraph.json')
    .exitOverride()
    .action(async (configPath: string) => (await loadMain()).bundleProject(configPath))
  return new Command('artifact')
    .description('what was built')
    .addCommand(fetchOne)
    .addCommand(buildOne)
    .addCommand(bundle)
    .exitOverride()
}

/** The variables that the command reads from the environment only, in the form of its options. */
function describeVariables(command: Command, readers: readonly Reader[]): string {
  const help = command.createHelp()
  help.prepareContext({ helpWidth: HELP_WIDTH })
  const variables = variablesOf(
    readers,
    command.options.map(({ long }) => long ?? ''),
  )
  const width = Math.max(...variables.map(([name]) => name.length))
  const lines = variables.map(([name, text]) => help.formatItem(name, width, text, help))
  return ['', 'Variables:', ...lines].join('\n')
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  console.error(`runyard: ${error instanceof AppError ? error.message : describe(error)}`)
  return 1
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
