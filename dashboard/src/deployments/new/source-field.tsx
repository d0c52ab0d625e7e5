/** Where the user drops or picks a project: a folder, or a tarball of one. */
import type { ReactNode } from 'react'
import { DropZone, FileTrigger, Text } from 'react-aria-components'
import { Button } from '../../design/button.tsx'
import { FileArchive, FolderUp } from '../../design/icon.gen.tsx'
import type { Entry, FolderEntry } from './folder.ts'
import { pickedFolder } from './folder.ts'

type DropEvent = Parameters<NonNullable<Parameters<typeof DropZone>[0]['onDrop']>>[0]
type DropItem = DropEvent['items'][number]
type DroppedFolder = Extract<DropItem, { kind: 'directory' }>

/** `onWrong`: receives why the dropped item was rejected, in a sentence. */
export function FolderField(props: {
  onFolder: (folder: FolderEntry) => void
  onWrong: (reason: string) => void
}) {
  const { onFolder, onWrong } = props
  const take = (item: DropItem) => {
    if (item.kind === 'directory') onFolder(droppedFolder(item))
    else onWrong('That is no folder. A .tar.gz is dropped under Tarball.')
  }
  return (
    <Ground
      icon={<FolderUp size={20} aria-hidden="true" />}
      title="Drop a project’s folder here"
      onDrop={take}
      trigger={
        <FileTrigger
          acceptDirectory
          onSelect={(files) => files?.length && onFolder(pickedFolder([...files]))}
        >
          <Button>Choose a folder</Button>
        </FileTrigger>
      }
    >
      The folder with langgraph.json. What .gitignore and .dockerignore name stays here, and so do
      node_modules, .git, environments of Python and .env files.
    </Ground>
  )
}

/** `onWrong`: receives why the dropped or chosen item was rejected, in a sentence. */
export function TarballField(props: {
  onTarball: (file: File) => void
  onWrong: (reason: string) => void
  children?: ReactNode
}) {
  const { onTarball, onWrong } = props
  const take = async (file: File) => {
    if (await isGzipped(file)) onTarball(file)
    else onWrong(`${file.name} is not gzipped: tar czf makes such a file.`)
  }
  const takeItem = (item: DropItem) => {
    if (item.kind === 'file') void item.getFile().then(take)
    else onWrong('That is no file. A folder is dropped under Folder.')
  }
  return (
    <Ground
      icon={<FileArchive size={20} aria-hidden="true" />}
      title="Drop a .tar.gz of a project here"
      onDrop={takeItem}
      trigger={
        <FileTrigger
          acceptedFileTypes={['.tgz', '.gz', 'application/gzip']}
          onSelect={(files) => files?.[0] && void take(files[0])}
        >
          <Button>Choose a tarball</Button>
        </FileTrigger>
      }
    >
      {props.children ?? 'Gzipped, at most 200 MB.'}
    </Ground>
  )
}

/** By its first two bytes (RFC 1952). */
async function isGzipped(file: File): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  return first === 0x1f && second === 0x8b
}

function Ground(props: {
  icon: ReactNode
  title: string
  onDrop: (item: DropItem) => void
  trigger: ReactNode
  children: ReactNode
}) {
  return (
    <DropZone
      onDrop={({ items }) => items[0] && props.onDrop(items[0])}
      className="flex flex-col items-center gap-2 rounded-lg border border-dashed border-line-strong bg-surface px-6 py-8 text-center data-drop-target:border-solid data-drop-target:border-accent data-drop-target:bg-accent-soft data-focus-visible:outline-2 data-focus-visible:outline-accent"
    >
      <span className="text-ink-faint">{props.icon}</span>
      <Text slot="label" className="font-medium">
        {props.title}
      </Text>
      <div className="max-w-prose text-sm text-ink-soft">{props.children}</div>
      <div className="mt-1">{props.trigger}</div>
    </DropZone>
  )
}

function droppedFolder(item: DroppedFolder): FolderEntry {
  async function* entries(): AsyncGenerator<Entry> {
    for await (const one of item.getEntries()) {
      if (one.kind === 'directory') yield droppedFolder(one)
      else yield { kind: 'file', name: one.name, read: () => one.getFile() }
    }
  }
  return { kind: 'folder', name: item.name, entries }
}
