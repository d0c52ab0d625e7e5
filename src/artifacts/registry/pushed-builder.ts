/** A builder that also removes the pushed images of its revisions from the operator's registry. */
import type { Builder } from '../../core/deployment/builds/build.ts'
import { isBelow, parseImage } from '../../core/deployment/images/image.ts'
import type { ImageRegistry, OwnRegistry } from '../../core/deployment/images/registry.ts'
import type { Log } from '../../core/log.ts'

interface Pushing {
  own: OwnRegistry
  registry: Pick<ImageRegistry, 'remove'>
  log: Log
}

/** How long the registry may hold up the removal of one revision, in ms. */
const REMOVAL_MS = 10_000

/**
 * Removes an image before its record: a process that dies in between removes it again. If the registry keeps an image,
 * the log says so, and the revision is removed all the same.
 */
export function createPushedBuilder(builder: Builder, pushing: Pushing): Builder {
  return {
    build: (request, signal) => builder.build(request, signal),
    find: (revision_id) => builder.find(revision_id),
    list: () => builder.list(),
    async prune(revision_id) {
      await removePushed(revision_id, builder, pushing)
      await builder.prune(revision_id)
    },
    async remove(revision_id) {
      await removePushed(revision_id, builder, pushing)
      await builder.remove(revision_id)
    },
    removeKept: (deployment_id) => builder.removeKept(deployment_id),
  }
}

async function removePushed(
  revision_id: string,
  builder: Pick<Builder, 'find'>,
  { own, registry, log }: Pushing,
): Promise<void> {
  try {
    const artifact = (await builder.find(revision_id))?.artifact
    // An image source belongs to the user and is not removed.
    const image = artifact?.kind === 'folder' ? parseImage(artifact.image_uri ?? '') : undefined
    if (!image || !isBelow(image, own.prefix)) return
    const { login } = own
    await registry.remove(image, { login, signal: AbortSignal.timeout(REMOVAL_MS) })
  } catch (error) {
    log.warn({ err: error, revision_id }, 'the registry keeps the image of a revision')
  }
}
