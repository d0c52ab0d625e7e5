/** Opens the place where an installation keeps its uploads and builds. */

import type { ArtifactsPlace } from '../core/deployment/artifacts/place.ts'
import type { ObjectStore } from '../core/object-store.ts'
import { openFolderObjects } from './folder-objects.ts'

/** `dir`: the folder of this machine, used if no place is set; absolute. */
export async function openObjects(
  place: ArtifactsPlace | undefined,
  { dir }: { dir: string },
): Promise<ObjectStore> {
  if (!place) return openFolderObjects({ root: dir })
  if (place.kind === 'folder') return openFolderObjects({ root: place.path, isShared: true })
  const { openS3Objects } = await import('./s3-objects.ts')
  return openS3Objects(place.address)
}
