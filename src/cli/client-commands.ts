/** The commands that talk to a running Runyard, in the order of the help. */
import type { Command } from 'commander'
import { deleteCommand } from './delete.ts'
import { deployCommand } from './deploy.ts'
import { deploymentsCommand } from './deployments.ts'
import { keysCommand } from './keys.ts'
import { logsCommand } from './logs.ts'
import { revisionsCommand } from './revisions.ts'
import { rollbackCommand } from './rollback.ts'
import { rotateEncryptionKeyCommand } from './rotate-encryption-key.ts'

export function clientCommands(): Command[] {
  return [
    deployCommand(),
    deploymentsCommand(),
    revisionsCommand(),
    logsCommand(),
    rollbackCommand(),
    deleteCommand(),
    keysCommand(),
    rotateEncryptionKeyCommand(),
  ]
}
