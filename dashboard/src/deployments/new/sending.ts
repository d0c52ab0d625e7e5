import type { Deployment } from '@runyard/client'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { packTar } from 'modern-tar'
import { useState } from 'react'
import { pagesOf } from '../../api/deployment-pages.ts'
import { bytesText } from '../../design/text/format.ts'
import type { Draft, From } from './draft.ts'
import type { SentFile } from './folder.ts'
import { deployRepository, type Say, sendTarball } from './send.ts'

type Made = Pick<Deployment, 'id' | 'latest_revision_id'>

/** Sends a draft, shows the current step and its start, and navigates to the resulting revision. */
export function useSending(from: From, draft: Draft) {
  const [step, setStep] = useState<{ text: string; since: number }>()
  const [error, setError] = useState<unknown>()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const start = async () => {
    const since = Date.now()
    setError(undefined)
    try {
      const made = await send(from, draft, (text) => setStep({ text, since }))
      void queries.invalidateQueries({ queryKey: ['deployments'] })
      const pages = pagesOf(made.id)
      const { latest_revision_id: id } = made
      await navigate({ to: id ? pages.revision(id) : pages.overview })
    } catch (reason) {
      setError(reason)
    } finally {
      setStep(undefined)
    }
  }
  return { start, step, error }
}

async function send(from: From, draft: Draft, say: Say): Promise<Made> {
  const { wanted, written } = draft
  if (from === 'git') {
    say('Creating the deployment')
    const { url, ref, isBuiltOnPush } = written
    return deployRepository(wanted, { url: url.trim(), ref: ref.trim(), isBuiltOnPush })
  }
  say('Packing')
  return sendTarball(wanted, await bytesOf(from, draft), say)
}

/** Throws with a sentence if the tarball is too large. */
async function bytesOf(
  from: 'folder' | 'tarball',
  { folder, tarball }: Draft,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes =
    from === 'folder'
      ? await packFiles(folder?.files ?? [])
      : new Uint8Array((await tarball?.arrayBuffer()) ?? new ArrayBuffer())
  if (bytes.byteLength <= MAX_TARBALL_BYTES) return bytes
  throw new Error(
    `It is ${bytesText(bytes.byteLength)} packed, and at most ${bytesText(MAX_TARBALL_BYTES)} are taken: name what is not needed in .dockerignore.`,
  )
}

/** In bytes; the server refuses larger ones. */
const MAX_TARBALL_BYTES = 200 * 1024 * 1024

/** Gzipped. A browser does not know which files are executable: all are packed as plain files. */
async function packFiles(files: readonly SentFile[]): Promise<Uint8Array<ArrayBuffer>> {
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
