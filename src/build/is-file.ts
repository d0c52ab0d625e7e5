import { stat } from 'node:fs/promises'

/** Whether there is a file at the path, links followed. */
export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}
