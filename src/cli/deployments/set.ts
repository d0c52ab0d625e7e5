/** `runyard set` */
import type { Command } from 'commander'
import { dataOf } from '../../../client/src/client.ts'
import { clientCommand, connected, requireDeployment } from '../connection.ts'
import { printJson, say } from '../terminal/output.ts'

export function setCommand(): Command {
  return clientCommand('set', 'change who may call a deployment; no revision is made', [
    ['runyard set support --public', 'anybody may call it, without a key'],
    ['runyard set support --private', 'with a key again'],
  ])
    .argument('<name>', 'the deployment')
    .option('--public', 'anybody may call it without a key, and shares all its threads')
    .option('--private', 'it is called with a key')
    .action(async (name: string, choices, command: Command) => {
      const { public: isPublic = false, private: isPrivate = false, ...options } = choices
      if (isPublic === isPrivate) command.error('error: Say one of --public and --private.')
      await connected(options, async ({ client, isJson }) => {
        const { id: deployment_id } = await requireDeployment(client, name)
        const changed = await dataOf(
          client.api.PATCH('/v2/deployments/{deployment_id}', {
            params: { path: { deployment_id } },
            body: { is_public: isPublic },
          }),
        )
        if (isJson) return printJson(changed)
        if (!changed.is_public) return say(`${name} is called with a key.`)
        say(`${name} is public: anybody may call it without a key, and shares all its threads.`)
      })
    })
}
