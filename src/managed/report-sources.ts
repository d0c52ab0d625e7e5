/** Reports the project's files to the runtime driver, as they are imported. */
import type { DriverLink } from './driver-link.ts'

/**
 * Begins at once; files that are imported together are reported together. `onSource` calls its callback with the path
 * of each file.
 */
export function reportSources(
  link: DriverLink,
  onSource: (callback: (file: string) => void) => void,
): void {
  let files: string[] = []
  const send = () => {
    void link.send({ type: 'sources', files })
    files = []
  }
  onSource((file) => {
    if (files.push(file) === 1) setImmediate(send)
  })
}
