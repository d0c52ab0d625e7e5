/** `runyard deploy` */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { Command } from 'commander'
import type { ControlPlaneClient, Secret } from '../../../client/src/client.ts'
import { AppError } from '../../core/errors.ts'
import { clientCommand, connected } from '../connection.ts'
import { printJson, say } from '../terminal/output.ts'
import { beginRollout } from './deploy-folder.ts'
import { inspectFolder, type SentFile } from './inspect-folder.ts'
import { reportRollout } from './rollout-report.ts'

interface DeployOptions {
  name: string
  envFile?: string
  wait: boolean
  dryRun?: boolean
}

const KIB = 1024

export function deployCommand(): Command {
  return clientCommand(
    'deploy',
    'deploy a folder, as a new deployment or the next revision of one',
    [
      ['runyard deploy --name support', 'the current folder'],
      [
        'runyard deploy agents/support --name support --env-file .env',
        'another one, with its secrets',
      ],
      ['runyard deploy --name support --dry-run', 'only show what would be sent'],
    ],
  )
    .argument('[dir]', 'the project, with its langgraph.json', '.')
    .requiredOption('--name <name>', 'the deployment')
    .option('--env-file <file>', 'NAME=value lines: they replace all secrets of the deployment')
    .option('--no-wait', 'do not wait for the end of the rollout')
    .option('--dry-run', 'send nothing: check the project, and list the files that would be sent')
    .action(async (dir: string, options: DeployOptions & Record<string, string | boolean>) => {
      const folder = resolve(dir)
      if (options.dryRun) return showSent(folder, options.json === true)
      const secrets = options.envFile ? await readSecrets(options.envFile) : []
      await connected(options, async ({ client, isJson }) => {
        const source = { folder, name: options.name, secrets }
        const isBuilt = await isBuiltAlready(client, options.name)
        say(`Sending ${folder}: ${describeSent(await inspectFolder(folder, { isBuilt }))}`)
        const deployment = await beginRollout(client, source, say)
        const isAwaited = options.wait
        await reportRollout(client, { deployment, isJson, isAwaited, isBuildShown: true })
      })
    })
}

/** A build command may make files that are not there yet. */
async function isBuiltAlready(client: ControlPlaneClient, name: string): Promise<boolean> {
  const found = await client.findDeployment(name)
  return (found?.source_config.build_command ?? null) === null
}

/** Without a Runyard, for those who only want to see what would be sent. */
async function showSent(folder: string, isJson: boolean): Promise<void> {
  const files = await inspectFolder(folder, { isBuilt: true })
  if (isJson) return printJson({ folder, files })
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

async function readSecrets(file: string): Promise<Secret[]> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new AppError('bad_request', `--env-file: ${file} cannot be read.`, { cause })
  })
  return Object.entries(parseEnv(text)).map(([name, value]) => ({ name, value: value ?? '' }))
}
