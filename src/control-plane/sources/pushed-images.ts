/** Images that were pushed into the operator's registry. */
import { isBelow, parseImage } from '../../core/deployment/images/image.ts'
import { type OwnRegistry, repositoryOf } from '../../core/deployment/images/registry.ts'
import type { SourceRevisionConfig } from '../../core/deployment/sources/config.ts'
import { AppError } from '../../core/errors.ts'

/**
 * Throws `bad_request` unless the image is in this deployment's folder of the registry. Runyard's own login
 * could read the images of every workspace.
 */
export function refuseForeignImage(
  deployment_id: string,
  { image_uri }: SourceRevisionConfig,
  registry: OwnRegistry | undefined,
): void {
  const image = parseImage(image_uri ?? '')
  const repository = registry && repositoryOf(registry, deployment_id)
  if (image && repository && isBelow(image, repository)) return
  throw new AppError(
    'bad_request',
    'source_revision_config.image_uri must be an image that was pushed to what push-token of this ' +
      'deployment answers. An image of another registry is deployed with source external_docker.',
  )
}
