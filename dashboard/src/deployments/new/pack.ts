/** Packs files into the tarball that a deployment is sent. */
import { packTar } from 'modern-tar'
import type { SentFile } from './folder.ts'

/** In bytes; the server refuses larger ones. */
export const MAX_TARBALL_BYTES = 200 * 1024 * 1024

/** Gzipped. A browser does not know which files are executable: all are packed as plain files. */
export async function packFiles(files: readonly SentFile[]): Promise<Uint8Array<ArrayBuffer>> {
  const tar = await packTar(
    files.map(({ path, file }) => ({
      header: {
        name: path,
        size: file.size,
        type: 'file',
        mode: 0o644,
        mtime: new Date(file.lastModified),
      },
      body: file,
    })),
  )
  const packed = new Blob([tar]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(packed).arrayBuffer())
}
