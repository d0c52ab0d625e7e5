/** Deploys the example agent at the first start, the way a user would. */
import { ControlPlaneClient } from '../../../client/src/client.ts'
import { exampleFolder } from '../example-folder.ts'
import { deployFolder } from './deploy-folder.ts'

const NAME = 'example'

/**
 * Deploys the example agent, unless a revision of it was deployed before. Returns the reason of a failure, or
 * nothing. Rejects when the signal is aborted.
 */
export async function deployExample(options: {
  url: string
  adminKey: string
  modelKeys: Readonly<Record<string, string>>
  /** Calls the control plane of this process directly: its certificate may not match the address. */
  fetch: typeof fetch
  signal: AbortSignal
}): Promise<string | undefined> {
  const { url, adminKey, signal } = options
  const client = new ControlPlaneClient({ url, apiKey: adminKey, fetch: options.fetch })
  const found = await client.findDeployment(NAME)
  if (found?.active_revision_id) return undefined
  const secrets = Object.entries(options.modelKeys).map(([name, value]) => ({ name, value }))
  try {
    const revision = await deployFolder(client, {
      folder: exampleFolder('agent'),
      name: NAME,
      secrets,
      signal,
    })
    if (revision.status === 'DEPLOYED') return undefined
    return `${revision.status}: ${revision.status_message ?? 'no reason was given'}`
  } catch (error) {
    signal.throwIfAborted()
    return error instanceof Error ? error.message : String(error)
  }
}
