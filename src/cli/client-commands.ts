/** The commands that talk to a running Runyard, in the order of the help. */
import type { Command } from 'commander'
import { chatCommand } from './agents/chat.ts'
import { runCommand } from './agents/run.ts'
import { threadsCommand } from './agents/threads.ts'
import { deployCommand } from './deploy/deploy.ts'
import { deleteCommand, deploymentsCommand } from './deployments/deployments.ts'
import { domainsCommand } from './deployments/domains.ts'
import { listenersCommand } from './deployments/listeners.ts'
import { logsCommand } from './deployments/logs.ts'
import { revisionsCommand, rollbackCommand } from './deployments/revisions.ts'
import { setCommand } from './deployments/set.ts'
import { statusCommand } from './deployments/status.ts'
import { keysCommand } from './people/keys.ts'
import { openCommand } from './people/open.ts'
import { rotateEncryptionKeyCommand } from './people/rotate-encryption-key.ts'
import { newCommand } from './project/new.ts'

export function clientCommands(): Command[] {
  return [
    openCommand(),
    newCommand(),
    deployCommand(),
    statusCommand(),
    deploymentsCommand(),
    revisionsCommand(),
    logsCommand(),
    rollbackCommand(),
    domainsCommand(),
    setCommand(),
    deleteCommand(),
    listenersCommand(),
    runCommand(),
    chatCommand(),
    threadsCommand(),
    keysCommand(),
    rotateEncryptionKeyCommand(),
  ]
}
