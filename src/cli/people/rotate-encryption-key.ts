/** `runyard rotate-encryption-key` */
import type { Command } from 'commander'
import { dataOf } from '../../../client/src/client.ts'
import { clientCommand, connected } from '../connection.ts'
import { printJson } from '../terminal/output.ts'

export function rotateEncryptionKeyCommand(): Command {
  const what = 'create a new encryption key and re-encrypt all secrets and tokens'
  return clientCommand('rotate-encryption-key', what, [
    ['runyard rotate-encryption-key', 'on a Runyard that runs'],
  ]).action(async (options) =>
    connected(options, async ({ client, isJson }) => {
      const rotated = await dataOf(client.api.POST('/v2/encryption-key/rotate'))
      if (isJson) return printJson(rotated)
      console.log(`There is a new encryption key; ${rotated.resealed} texts were sealed with it.`)
    }),
  )
}
