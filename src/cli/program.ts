/** The commands, their options and their help. `main.ts` has everything that runs a server. */
import { Command, CommanderError, Option } from 'commander'
import {
  type DevConfig,
  readDevConfig,
  readServeConfig,
  readUpConfig,
  type ServeConfig,
  type UpConfig,
} from '../config.ts'
import { AppError } from '../core/errors.ts'
import { optionOf, variablesOf } from '../settings/documentation.ts'
import type { Flags } from '../settings/settings.ts'
import type { Reader } from '../settings/table.ts'
import { readVersion } from '../version.ts'

/** The part of `main.ts` that commands call. Each settles when the server has stopped. */
interface ServerCommands {
  up(config: UpConfig, options: { isTiedToParent: boolean }): Promise<void>
  serve(config: ServeConfig, options: { isManaged: boolean; isHelper: boolean }): Promise<void>
  dev(config: DevConfig): Promise<void>
  /** Settles when everything is printed. Sets exit code 1 when a check failed. */
  doctor(config: UpConfig, options: { isJson: boolean }): Promise<void>
}

/** The width of the help. The names of variables are long, so that 80 columns would leave little room. */
const HELP_WIDTH = 110
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
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = report(error)
    // Ends a failed process even if a part has left something open.
    setTimeout(() => process.exit(), LAST_MOMENT_MS).unref()
  }
}

/**
 * Whether the command runs a server. There is one such process for each deployment, so it loads nothing
 * that it does not need.
 */
function isServerCommand(name: string | undefined): boolean {
  return name !== undefined && ['up', 'serve', 'dev'].includes(name)
}

async function addClientCommands(program: Command): Promise<void> {
  const { clientCommands } = await import('./client-commands.ts')
  for (const command of clientCommands()) program.addCommand(command)
}

function createProgram(loadMain: () => Promise<ServerCommands>): Command {
  const program = new Command('runyard')
    .description('A self-hosted control plane and agent server for LangGraph agents.')
    .version(readVersion())
    .exitOverride()
  program.addCommand(upCommand(loadMain))
  program.addCommand(serveCommand(loadMain))
  program.addCommand(devCommand(loadMain))
  program.addCommand(doctorCommand(loadMain))
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
    .exitOverride()
    .action(async ({ reload, browser: _, ...options }: Record<string, string | boolean>) => {
      const config = readDevConfig(options as Flags)
      const main = await loadMain()
      await (reload ? main.dev(config) : main.serve(config, { isManaged: false, isHelper: false }))
    })
}

function doctorCommand(loadMain: () => Promise<ServerCommands>): Command {
  return new Command('doctor')
    .description('look at the machine and the data folder, and say how to mend what is wrong')
    .option('--host <host>', 'as for up')
    .option('--port <port>', 'as for up')
    .option('--data-dir <folder>', 'as for up')
    .option('--json', 'answer with JSON')
    .exitOverride()
    .action(async ({ json, ...flags }: Record<string, string | true>) => {
      const config = readUpConfig(flags as Flags)
      await (await loadMain()).doctor(config, { isJson: json === true })
    })
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
