/** Tells the process above which files the project consists of, as they are imported. */
import type { SourcesMessage } from '../core/deployment/runtime-protocol.ts'

/**
 * From now on; files that are imported together are told of together. `onSource` has its callback called
 * with the path of each file.
 */
export function reportSources(onSource: (callback: (file: string) => void) => void): void {
  let files: string[] = []
  const send = () => {
    process.send?.({ type: 'sources', files } satisfies SourcesMessage)
    files = []
  }
  onSource((file) => {
    if (files.push(file) === 1) setImmediate(send)
  })
}
