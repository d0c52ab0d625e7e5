/** Removes containers of builds that another process has begun: those builds begin anew. */
import { type Engine, isSettled } from './engine.ts'
import { BUILD, INSTALLATION, THIS_PROCESS } from './labels.ts'

/** Called when this process may build: no other one of the installation builds then. */
export async function removeLeftBuilds({ docker }: Engine, installation: string): Promise<void> {
  const filters = { label: [`${INSTALLATION}=${installation}`] }
  for (const { Id, Labels } of await docker.listContainers({ all: true, filters })) {
    if (!(BUILD in Labels) || Labels[BUILD] === THIS_PROCESS) continue
    await docker
      .getContainer(Id)
      .remove({ v: true, force: true })
      .catch((error: unknown) => {
        if (!isSettled(error)) throw error
      })
  }
}
