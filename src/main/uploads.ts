/** The source tarballs of deployments, for `backup` and `restore`. */
import { stat } from 'node:fs/promises'
import { fileContent, openObjects } from '../artifacts/folder-objects.ts'
import { uploadPath } from '../build/layout.ts'
import { uploadName } from '../core/deployment/upload.ts'
import type { StoredObject } from '../core/object-store.ts'
import type { RestoreConfig } from '../settings/config.ts'
import { openDataFolder } from './installation/data-folder.ts'

export interface Uploads {
  /** `undefined`: it does not exist. */
  get(object_path: string): Promise<StoredObject | undefined>
  /** Throws `bad_request` for a path outside. */
  put(object_path: string, body: AsyncIterable<Uint8Array>): Promise<void>
}

/** By these settings: in the data folder, or in the artifact store. */
export async function openUploads({ dataDir, artifactsPlace }: RestoreConfig): Promise<Uploads> {
  const { builds } = openDataFolder(dataDir)
  const objects = await openObjects(artifactsPlace, { dir: builds })
  return {
    async get(object_path) {
      const found = await objects.get(uploadName(object_path))
      // Tarballs from before a shared store may still be on this machine.
      return found ?? readFile(uploadPath(builds, object_path))
    },
    async put(object_path, body) {
      await objects.put(uploadName(object_path), body)
    },
  }
}

async function readFile(path: string): Promise<StoredObject | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found && { bytes: found.size, body: fileContent(path) }
}
