/** Tar files with entries that no packer would make. */
import { Header } from 'tar'

type EntryType =
  NonNullable<ConstructorParameters<typeof Header>[0]> extends infer H
    ? H extends { type?: infer T }
      ? T
      : never
    : never
export interface Entry {
  path: string
  type?: EntryType
  linkpath?: string
  content?: string
}

/** The entries as given, not compressed. */
export function tar(...entries: Entry[]): Buffer {
  const blocks = entries.flatMap(({ path, type = 'File', linkpath, content = '' }) => {
    const size = Buffer.byteLength(content)
    const header = Buffer.alloc(512)
    const link = linkpath === undefined ? {} : { linkpath }
    new Header({ path, type, size, mode: 0o644, mtime: new Date(0), ...link }).encode(header)
    return [header, Buffer.alloc(Math.ceil(size / 512) * 512, content)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}
