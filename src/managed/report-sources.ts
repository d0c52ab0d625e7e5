/** Tells the runtime driver which files the project consists of, as they are imported. */
import type { DriverLink } from './driver-link.ts'

/**
 * From now on; files that are imported together are told of together. `onSource` has its callback called
 * with the path of each file.
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
