/** Registries of images: the requests to them, and the logins. */

import type { Secret } from '../revision.ts'
import { type ImageReference, isBelow } from './image.ts'
import { findPullSecret, type RegistryLogin } from './pull-secret.ts'

/** The operator's registry, for images that are pushed to Runyard and that it builds. */
export interface OwnRegistry {
  /** `https://registry.example.com/team`, without a slash at the end. */
  url: string
  /** The prefix of its images: `registry.example.com/team`. */
  prefix: string
  /** Runyard's own login for pulls and pushes; absent: it needs none. */
  login?: RegistryLogin
  /** The login that `push-token` returns to clients; absent: none. */
  pushLogin?: RegistryLogin
}

interface RegistryCall {
  login?: RegistryLogin | undefined
  signal?: AbortSignal
}

export interface ImageRegistry {
  /**
   * The digest that the reference has now, `sha256:…`; with a digest it is only looked up. Throws `bad_request` if the
   * registry has no such image or hides it from this login, `unavailable` if the registry does not answer or may not be
   * reached.
   */
  digestOf(image: ImageReference, options: RegistryCall): Promise<string>
  /** The labels of an image, from one configuration if it has several. Throws as `digestOf` does. */
  labelsOf(image: ImageReference, options: RegistryCall): Promise<Record<string, string>>
  /**
   * Whether a build from the image (with a digest) would run the image's own instructions (`ONBUILD`); `true` if that
   * is unclear. Throws as `digestOf` does.
   */
  hasTriggers(image: ImageReference, options: RegistryCall): Promise<boolean>
  /**
   * Removes the image (with a digest) and all its tags. A missing image is no error. Throws as `digestOf` does;
   * `bad_request` also if the registry removes nothing at all.
   */
  remove(image: ImageReference, options: RegistryCall): Promise<void>
}

/** Where one deployment's images are in the operator's registry. */
export function repositoryOf({ prefix }: OwnRegistry, deployment_id: string): string {
  return `${prefix}/${deployment_id}`
}

/** Where Runyard pushes the images of its builds; each has the revision's id as its tag. */
export function builtRepositoryOf(own: OwnRegistry, deployment_id: string): string {
  return `${repositoryOf(own, deployment_id)}/built`
}

/**
 * The login that pulls a deployment's image. The operator's login applies only to images that were pushed for this
 * deployment; all others need its own pull secret.
 */
export function pullLogin(
  image: ImageReference,
  of: { own: OwnRegistry | undefined; deployment_id: string; secrets: readonly Secret[] },
): RegistryLogin | undefined {
  const { own, deployment_id, secrets } = of
  const isOwn = own && isBelow(image, repositoryOf(own, deployment_id))
  return isOwn ? own.login : findPullSecret(secrets, image.registry)
}
