/** A builder that also packs and keeps its folders, from which agent servers elsewhere start. */
import type { FolderArtifact } from '../core/deployment/artifacts/artifact.ts'
import type { ArtifactStore } from '../core/deployment/artifacts/store.ts'
import type { Builder } from '../core/deployment/builds/build.ts'

interface Publishing {
  artifacts: ArtifactStore
  /** Where a folder lies that was built here; absolute. */
  rootOf(artifact: FolderArtifact): string
  /** The builder publishes what it builds itself. */
  isDone?: boolean
}

/** It also finds builds that others have published, and removes those that it has published. */
export function createPublishedBuilder(
  builder: Builder,
  { artifacts, rootOf, isDone = false }: Publishing,
): Builder {
  return {
    async build(request, signal) {
      const built = await builder.build(request, signal)
      const { artifact, repo_commit_sha } = built
      if (artifact.kind !== 'folder' || isDone) return built
      // An earlier try may have been published, and was built again all the same.
      await artifacts.remove(artifact.id)
      await artifacts.publish({ artifact, repo_commit_sha, root: rootOf(artifact) }, signal)
      return built
    },
    async find(revision_id) {
      const own = await builder.find(revision_id)
      if (own) return own
      const packed = await artifacts.find(revision_id)
      return packed && { artifact: packed.artifact, repo_commit_sha: packed.repo_commit_sha }
    },
    async list() {
      return [...new Set([...(await builder.list()), ...(await artifacts.list())])]
    },
    async prune(revision_id) {
      await artifacts.remove(revision_id)
      await builder.prune(revision_id)
    },
    async remove(revision_id) {
      await artifacts.remove(revision_id)
      await builder.remove(revision_id)
    },
    removeKept: (deployment_id) => builder.removeKept(deployment_id),
  }
}
