/** `runyard deploy` */
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { ControlPlaneClient, Secret } from '../../../client/src/client.ts'
import type { Language } from '../../core/deployment/artifacts/artifact.ts'
import { AppError } from '../../core/errors.ts'
import { parseEnvFile } from '../../project/env.ts'
import { readEnvironment } from '../../settings/config.ts'
import { clientCommand, connected } from '../connection.ts'
import { printJson, say } from '../terminal/output.ts'
import { beginRollout } from './deploy-folder.ts'
import { inspectFolder, type SentFile } from './inspect-folder.ts'
import { reportRollout } from './rollout-report.ts'
import { findSentFolder, type SentFolder } from './sent-folder.ts'

interface DeployOptions {
  name: string
  config?: string
  envFile?: string
  replaceEnv?: boolean
  message?: string
  wait: boolean
  dryRun?: boolean
}

type Flags = Record<string, string | boolean>

const KIB = 1024

export function deployCommand(): Command {
  return clientCommand(
    'deploy',
    'deploy a folder, as a new deployment or the next revision of one',
    [
      ['runyard deploy --name support', 'the current folder'],
      [
        'runyard deploy agents/support --name support --env-file .env',
        'another one, with more secrets',
      ],
      [
        'runyard deploy --config apps/agent/langgraph.json --name support',
        'one of a larger repository, with all of it that it needs',
      ],
      ['runyard deploy --name support --dry-run', 'only show what would be sent'],
    ],
  )
    .argument('[dir]', 'the project, with its langgraph.json (default: the current folder)')
    .requiredOption('--name <name>', 'the deployment')
    .option(
      '--config <file>',
      'its langgraph.json: sends the folder that has all it names, or its whole workspace',
    )
    .option('--env-file <file>', 'NAME=value lines: secrets to add, or to change by name')
    .option('--replace-env', 'with --env-file: remove all other secrets of the deployment')
    .option('-m, --message <text>', 'what this revision is about, for lists and pages')
    .option('--no-wait', 'do not wait for the end of the rollout')
    .option('--dry-run', 'send nothing: check the project, and list the files that would be sent')
    .action(async (dir: string | undefined, options: DeployOptions & Flags, command: Command) => {
      if (options.replaceEnv && options.envFile === undefined) {
        command.error('error: --replace-env needs an --env-file.')
      }
      const sent = await findSentFolder(dir, options.config)
      for (const note of sent.notes) say(note)
      if (options.dryRun) return showSent(sent, options.json === true)
      await connected(options, async ({ client, isJson }) => {
        const isBuilt = await isBuiltAlready(client, options.name)
        const { files, language } = await inspectFolder(sent, { isBuilt })
        const secrets = options.envFile ? await readSecrets(options.envFile, language) : []
        say(`Sending ${sent.folder}: ${describeSent(files)}`)
        const areReplaced = options.replaceEnv === true
        const { name, message } = options
        const source = { ...sent, name, message, secrets, areReplaced }
        const deployment = await beginRollout(client, source, say)
        const isAwaited = options.wait
        await reportRollout(client, { deployment, isJson, isAwaited, isBuildShown: true })
      })
    })
}

/** Whether all files exist before the build: a build command may make more. */
async function isBuiltAlready(client: ControlPlaneClient, name: string): Promise<boolean> {
  const found = await client.findDeployment(name)
  return (found?.source_config.build_command ?? null) === null
}

/** Prints what would be sent, without a Runyard. */
async function showSent(sent: SentFolder, isJson: boolean): Promise<void> {
  const { files, notes } = await inspectFolder(sent, { isBuilt: true })
  const { folder, configPath } = sent
  for (const note of notes) say(note)
  if (isJson) return printJson({ folder, config_path: configPath, files })
  for (const { path, bytes } of files) console.log(`${sizeText(bytes).padStart(9)}  ${path}`)
  say(describeSent(files))
}

function describeSent(files: SentFile[]): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const [largest] = files.toSorted((a, b) => b.bytes - a.bytes)
  const most = largest ? `; the largest is ${largest.path}, ${sizeText(largest.bytes)}` : ''
  return `${files.length} files, ${sizeText(bytes)}${most}.`
}

function sizeText(bytes: number): string {
  return bytes < KIB * KIB
    ? `${Math.ceil(bytes / KIB)} KiB`
    : `${(bytes / KIB / KIB).toFixed(1)} MiB`
}

/** By the rules of the project's language, like its own env file. A name without a value is no secret. */
async function readSecrets(file: string, language: Language): Promise<Secret[]> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new AppError('bad_request', `--env-file: ${file} cannot be read.`, { cause })
  })
  const values = await parseEnvFile(text, language, readEnvironment())
  return Object.entries(values).map(([name, value]) => ({ name, value }))
}
