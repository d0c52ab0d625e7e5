/** `runyard deploy` */
import { access, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { Command } from 'commander'
import type { Secret } from '../../client/src/client.ts'
import { AppError } from '../core/errors.ts'
import { clientCommand, connected } from './connection.ts'
import { beginRollout } from './deploy-folder.ts'
import { say } from './output.ts'
import { reportRollout } from './rollout-report.ts'

interface DeployOptions {
  name: string
  envFile?: string
  wait: boolean
}

export function deployCommand(): Command {
  return clientCommand('deploy', 'deploy a folder, as a new deployment or the next revision of one')
    .argument('[dir]', 'the project, with its langgraph.json', '.')
    .requiredOption('--name <name>', 'the deployment')
    .option('--env-file <file>', 'NAME=value lines: they replace all secrets of the deployment')
    .option('--no-wait', 'do not wait for the end of the rollout')
    .action(async (dir: string, options: DeployOptions & Record<string, string | boolean>) => {
      const folder = resolve(dir)
      await requireProject(folder)
      const secrets = options.envFile ? await readSecrets(options.envFile) : []
      await connected(options, async ({ client, isJson }) => {
        const source = { folder, name: options.name, secrets }
        const deployment = await beginRollout(client, source, say)
        const isAwaited = options.wait
        await reportRollout(client, { deployment, isJson, isAwaited, isBuildShown: true })
      })
    })
}

async function requireProject(folder: string): Promise<void> {
  const config = join(folder, 'langgraph.json')
  await access(config).catch((cause) => {
    throw new AppError(
      'bad_request',
      `There is no ${config}: name the folder of a project that has one.`,
      { cause },
    )
  })
}

async function readSecrets(file: string): Promise<Secret[]> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new AppError('bad_request', `--env-file: ${file} cannot be read.`, { cause })
  })
  return Object.entries(parseEnv(text)).map(([name, value]) => ({ name, value: value ?? '' }))
}
