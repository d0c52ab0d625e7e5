/** How an uploaded tarball is fetched. */
import { BuildError } from '../../core/deployment/build.ts'
import { isFile } from '../is-file.ts'
import { uploadPath } from '../layout.ts'
import type { FetchSource } from './fetch.ts'
import { unpackTarball } from './tarball.ts'

export const fetchTarball: FetchSource = async (request, { dir, into }, context) => {
  const { source_tarball_path } = request.source_revision_config
  const path = source_tarball_path ? uploadPath(dir, source_tarball_path) : undefined
  if (!path || !(await isFile(path))) {
    throw new BuildError('fetch', 'The source tarball was not uploaded: upload it first.')
  }
  await unpackTarball(path, into, context)
  return null
}
