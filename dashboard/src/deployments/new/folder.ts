/** A folder that the user has dropped or picked, and which of its files are sent. */
import {
  ENVIRONMENT_MARK,
  type FolderRules,
  folderRules,
  ignoreFilesOf,
  isLeftOut,
} from '@runyard/client/sent-files'

/** A file or a folder, from whichever browser API. */
export type Entry = FileEntry | FolderEntry

interface FileEntry {
  kind: 'file'
  name: string
  read: () => Promise<File>
}

export interface FolderEntry {
  kind: 'folder'
  name: string
  entries: () => AsyncIterable<Entry> | Iterable<Entry>
}

export interface SentFile {
  /** `src/agent.ts` */
  path: string
  file: File
}

/**
 * The files of the folder that would be sent, by the rules of `runyard deploy`. Excluded folders are not opened, so
 * `node_modules` costs nothing.
 */
export function sentFiles(folder: FolderEntry): Promise<SentFile[]> {
  return filesBelow(folder, '', [])
}

async function filesBelow(
  folder: FolderEntry,
  base: string,
  above: readonly FolderRules[],
): Promise<SentFile[]> {
  const entries: Entry[] = []
  for await (const entry of folder.entries()) entries.push(entry)
  if (base !== '' && entries.some(({ name }) => name === ENVIRONMENT_MARK)) return []
  const rules = [...above, await rulesOf(base, entries)]
  const found: SentFile[] = []
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = base + entry.name
    if (isLeftOut(entry.kind === 'folder' ? `${path}/` : path, rules)) continue
    if (entry.kind === 'folder') found.push(...(await filesBelow(entry, `${path}/`, rules)))
    else found.push({ path, file: await entry.read() })
  }
  return found
}

async function rulesOf(base: string, entries: readonly Entry[]): Promise<FolderRules> {
  const texts: string[] = []
  for (const name of ignoreFilesOf(base)) {
    const entry = entries.find((one) => one.kind === 'file' && one.name === name)
    if (entry?.kind === 'file') texts.push(await (await entry.read()).text())
  }
  return folderRules(base, texts)
}

/** The folder an `<input>` returns: all its files, each with its path in the folder. */
export function pickedFolder(files: readonly File[]): FolderEntry {
  const root = emptyFolder(files[0]?.webkitRelativePath.split('/')[0] ?? '')
  for (const file of files) {
    const parts = file.webkitRelativePath.split('/').slice(1)
    const name = parts.pop() ?? file.name
    const folder = parts.reduce(folderIn, root)
    folder.children.set(name, { kind: 'file', name, read: () => Promise.resolve(file) })
  }
  return root
}

type PickedFolder = FolderEntry & { children: Map<string, Entry> }

function emptyFolder(name: string): PickedFolder {
  const children = new Map<string, Entry>()
  return { kind: 'folder', name, children, entries: () => children.values() }
}

function folderIn(parent: PickedFolder, name: string): PickedFolder {
  const known = parent.children.get(name)
  if (known && 'children' in known) return known as PickedFolder
  const made = emptyFolder(name)
  parent.children.set(name, made)
  return made
}
