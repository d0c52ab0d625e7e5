/**
 * The key with which a deployment's repository is fetched over ssh. It is one of the deployment's
 * secrets, so that every client can set it. The project never sees it, neither at build time nor at run
 * time.
 */
import { PULL_SECRET } from './images/pull-secret.ts'
import type { Secret } from './revision.ts'

/** The secret's name. Its value is a private key in OpenSSH's or PEM form, without a passphrase. */
export const DEPLOY_KEY = 'RUNYARD_DEPLOY_KEY'

const PRIVATE_KEY =
  /^\s*-----BEGIN [A-Z ]*PRIVATE KEY-----\r?\n[\s\S]+-----END [A-Z ]*PRIVATE KEY-----\s*$/

export function isPrivateKey(text: string): boolean {
  return PRIVATE_KEY.test(text)
}

export function findDeployKey(secrets: readonly Secret[]): string | undefined {
  return secrets.find(({ name }) => name === DEPLOY_KEY)?.value
}

/** The secrets that the project gets. */
export function projectSecrets(secrets: readonly Secret[]): Secret[] {
  return secrets.filter(({ name }) => name !== DEPLOY_KEY && name !== PULL_SECRET)
}
