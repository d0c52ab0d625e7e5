/** A client for the control plane: the calls that deploying needs, over `fetch`. */

/** Where a revision stands; see the control plane's documentation for the whole machine. */
export type RevisionStatus =
  | 'CREATING'
  | 'QUEUED'
  | 'AWAITING_BUILD'
  | 'BUILDING'
  | 'AWAITING_DEPLOY'
  | 'DEPLOYING'
  | 'CREATE_FAILED'
  | 'BUILD_FAILED'
  | 'DEPLOY_FAILED'
  | 'DEPLOYED'
  | 'SKIPPED'
  | 'INTERRUPTED'
  | 'UNKNOWN'

const ENDS: ReadonlySet<RevisionStatus> = new Set([
  'CREATE_FAILED',
  'BUILD_FAILED',
  'DEPLOY_FAILED',
  'DEPLOYED',
  'SKIPPED',
  'INTERRUPTED',
])

/** Whether the revision has stopped moving. */
export function isOver(status: RevisionStatus): boolean {
  return ENDS.has(status)
}

export interface Secret {
  name: string
  value: string
}

export interface Deployment {
  id: string
  name: string
  source: string
  source_config: { custom_url: string | null; [key: string]: unknown }
  status: string
  latest_revision_id: string | null
  active_revision_id: string | null
}

export interface Revision {
  id: string
  status: RevisionStatus
  status_message?: string | null
}

export interface Upload {
  upload_url: string
  object_path: string
}

/** An answer that was not 2xx. */
export class ControlPlaneError extends Error {
  /** The HTTP status. */
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'ControlPlaneError'
    this.status = status
  }
}

/** Talks to one control plane with one key. */
export class ControlPlaneClient {
  readonly #url: string
  readonly #apiKey: string

  /** `url` without a path; `apiKey` is sent as `X-Api-Key`. */
  constructor(options: { url: string; apiKey: string }) {
    this.#url = options.url.replace(/\/+$/, '')
    this.#apiKey = options.apiKey
  }

  /** The deployment of exactly this name, among those the key may see. */
  async findDeployment(name: string): Promise<Deployment | undefined> {
    const query = new URLSearchParams({ name })
    const list = await this.#call<{ resources: Deployment[] }>('GET', `/v2/deployments?${query}`)
    return list.resources.find((deployment) => deployment.name === name)
  }

  async getDeployment(id: string): Promise<Deployment> {
    return this.#call('GET', `/v2/deployments/${id}`)
  }

  async createDeployment(body: {
    name: string
    source: 'internal_source' | 'github'
    source_config: Record<string, unknown>
    source_revision_config: Record<string, unknown>
    secrets: Secret[]
  }): Promise<Deployment> {
    return this.#call('POST', '/v2/deployments', body)
  }

  async patchDeployment(id: string, body: Record<string, unknown>): Promise<Deployment> {
    return this.#call('PATCH', `/v2/deployments/${id}`, body)
  }

  async getRevision(deploymentId: string, revisionId: string): Promise<Revision> {
    return this.#call('GET', `/v2/deployments/${deploymentId}/revisions/${revisionId}`)
  }

  async requestUpload(deploymentId: string): Promise<Upload> {
    return this.#call('POST', `/v2/deployments/${deploymentId}/upload-url`)
  }

  /**
   * Sends a gzipped tarball to the signed URL, through the address that this client knows: the
   * public one that the URL names may not be reachable from here. No key goes along.
   */
  async upload(upload: Upload, tarball: Uint8Array<ArrayBuffer>): Promise<void> {
    const signed = upload.upload_url.slice(upload.upload_url.indexOf('/v2/uploads/'))
    const headers = { 'content-type': 'application/gzip' }
    await answered(await fetch(`${this.#url}${signed}`, { method: 'PUT', headers, body: tarball }))
  }

  async #call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers: Record<string, string> = { 'x-api-key': this.#apiKey }
    if (body !== undefined) headers['content-type'] = 'application/json'
    const init =
      body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const response = await answered(await fetch(`${this.#url}${path}`, init))
    return (await response.json()) as T
  }
}

async function answered(response: Response): Promise<Response> {
  if (response.ok) return response
  const text = await response.text()
  throw new ControlPlaneError(response.status, `HTTP ${response.status}: ${detailOf(text)}`)
}

function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    return typeof detail === 'string' ? detail : text
  } catch {
    return text
  }
}
