/** Fetches an uploaded tarball. */
import { BuildError } from '../../core/deployment/builds/build.ts'
import type { FetchSource } from './fetch.ts'
import { unpackSource } from './tarball.ts'

export const fetchTarball: FetchSource = async (request, { tarballs, into }, context) => {
  const { source_tarball_path } = request.source_revision_config
  const isThere =
    source_tarball_path !== null &&
    (await tarballs.use(source_tarball_path, (path) => unpackSource(path, into, context)))
  if (isThere) return null
  throw new BuildError('fetch', 'The source tarball was not uploaded: upload it first.')
}
