/** The commands of a project as processes of this machine, in its sandbox. */
import type { ProjectCommands } from '../core/deployment/builds/project-commands.ts'
import type { Sandbox } from '../core/deployment/sandbox.ts'
import { runCommand } from './command.ts'

export function createProcessCommands(sandbox: Sandbox): ProjectCommands {
  return {
    hasOwnUser: sandbox.hasOwnUser,
    handOver: (folder) => sandbox.handOver(folder),
    environment: (env) => ({ ...env }),
    run(command, view, terms) {
      const confined = sandbox.confine(command, view)
      const { uid, gid, input } = confined
      return runCommand(confined.command, {
        cwd: view.cwd,
        // A project cannot choose the PATH, by which the sandbox's own program is found.
        env: { PATH: view.variables.PATH ?? '', ...confined.env },
        ...(input !== undefined && { input }),
        ...(uid !== undefined && { uid }),
        ...(gid !== undefined && { gid }),
        ...terms,
      })
    },
    close: async () => {},
  }
}
