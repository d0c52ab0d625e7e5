/** Containers of builds that another process has begun. Nobody waits for them: those builds begin anew. */
import { type Engine, isSettled } from './engine.ts'
import { BUILD, INSTALLATION, THIS_PROCESS } from './labels.ts'

/** To be asked when this process may build, as no other one of the installation does by then. */
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
