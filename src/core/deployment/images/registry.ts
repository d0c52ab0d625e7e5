/** Registries of images: what is asked of them, and with whose name and password. */

import type { Secret } from '../revision.ts'
import { type ImageReference, isBelow } from './image.ts'
import { findPullSecret, type RegistryLogin } from './pull-secret.ts'

/** The registry that the operator names, for images that are pushed to Runyard and that it builds. */
export interface OwnRegistry {
  /** `https://registry.example.com/team`, without a slash at the end. */
  url: string
  /** What its images begin with: `registry.example.com/team`. */
  prefix: string
  /** With what Runyard itself pulls and pushes; absent: it takes everyone. */
  login?: RegistryLogin
  /** What `push-token` hands out to those who push; absent: nothing. */
  pushLogin?: RegistryLogin
}

export interface ImageRegistry {
  /**
   * The digest of what the reference stands for now, `sha256:…`; one with a digest is only looked for.
   * Throws `bad_request` where the registry has no such image or shows it to nobody with this login,
   * `unavailable` where it does not answer or may not be reached.
   */
  digestOf(
    image: ImageReference,
    options: { login?: RegistryLogin | undefined; signal?: AbortSignal },
  ): Promise<string>
  /** The labels of an image, with one configuration where it has several. Throws as `digestOf` does. */
  labelsOf(
    image: ImageReference,
    options: { login?: RegistryLogin | undefined; signal?: AbortSignal },
  ): Promise<Record<string, string>>
  /**
   * Whether a build from the image, whose digest is given, would run instructions that it brings itself
   * (`ONBUILD`), and `true` where that cannot be told for certain. Throws as `digestOf` does.
   */
  hasTriggers(
    image: ImageReference,
    options: { login?: RegistryLogin | undefined; signal?: AbortSignal },
  ): Promise<boolean>
  /**
   * Removes the image, whose digest is given, with every tag of it. One that is not there is no error. Throws as
   * `digestOf` does, `bad_request` also where the registry removes nothing at all.
   */
  remove(
    image: ImageReference,
    options: { login?: RegistryLogin | undefined; signal?: AbortSignal },
  ): Promise<void>
}

/** Below which the images of one deployment lie in the operator's registry. */
export function repositoryOf({ prefix }: OwnRegistry, deployment_id: string): string {
  return `${prefix}/${deployment_id}`
}

/** Where the images lie there that Runyard builds for its revisions; each has the revision's id as its tag. */
export function builtRepositoryOf(own: OwnRegistry, deployment_id: string): string {
  return `${repositoryOf(own, deployment_id)}/built`
}

/**
 * With what an image of a deployment is pulled. Of the operator's registry a deployment sees with the
 * operator's login only what was pushed for itself; for all else it has its own pull secret.
 */
export function pullLogin(
  image: ImageReference,
  {
    own,
    deployment_id,
    secrets,
  }: {
    own: OwnRegistry | undefined
    deployment_id: string
    secrets: readonly Secret[]
  },
): RegistryLogin | undefined {
  const isOwn = own && isBelow(image, repositoryOf(own, deployment_id))
  return isOwn ? own.login : findPullSecret(secrets, image.registry)
}
