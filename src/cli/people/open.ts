/** `runyard open` */
import type { Command } from 'commander'
import { dataOf } from '../../../client/src/client.ts'
import { AppError } from '../../core/errors.ts'
import { clientCommand, connected } from '../connection.ts'
import { printJson, say } from '../terminal/output.ts'

export function openCommand(): Command {
  return clientCommand('open', 'open the dashboard in your browser, signed in', [
    ['runyard open', 'the dashboard of the Runyard on this machine'],
    ['runyard open --print', 'only the link: for a browser elsewhere, or none here'],
  ])
    .option('--print', 'print the link, which is good once, and start no browser')
    .action(async (options: Record<string, string | boolean>) =>
      connected(options, async ({ client, isJson }) => {
        const link = await dataOf(client.api.POST('/v2/session/link'))
        if (isJson) return printJson(link)
        if (options.print) return console.log(link.url)
        await startBrowser(link.url)
      }),
    )
}

async function startBrowser(url: string): Promise<void> {
  say(
    `Opening the dashboard. If nothing opens, open this link: it is good once, for half an hour.\n${url}`,
  )
  const { default: open } = await import('open')
  const browser = await open(url).catch((cause: unknown) => {
    throw noBrowser(cause)
  })
  browser.once('error', (error) => say(`runyard: ${noBrowser(error).message}`))
}

function noBrowser(cause: unknown): AppError {
  const what = 'No browser could be started here. Open the link that is printed above.'
  return new AppError('unavailable', what, { cause })
}
