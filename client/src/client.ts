/** A client for the control plane: deployments, revisions, logs and keys, over `fetch`. */
import type {
  ApiKey,
  Deployment,
  LogsPage,
  NewApiKey,
  Revision,
  Role,
  Secret,
  Upload,
} from './records.ts'
import { request } from './transport.ts'

export * from './records.ts'
export { ControlPlaneError, UnreachableError } from './transport.ts'

/** As many as the control plane answers at once. */
const PAGE = 100

/**
 * Talks to one control plane with one key. Every call throws `ControlPlaneError` for an answer that
 * is not 2xx, `UnreachableError` when there is none.
 */
export class ControlPlaneClient {
  /** Without a slash at the end. */
  readonly url: string
  readonly #apiKey: string

  /** `url` without a path; `apiKey` is sent as `X-Api-Key`. */
  constructor(options: { url: string; apiKey: string }) {
    this.url = options.url.replace(/\/+$/, '')
    this.#apiKey = options.apiKey
  }

  /** The deployment of exactly this name, among those the key may see. */
  async findDeployment(name: string): Promise<Deployment | undefined> {
    const query = new URLSearchParams({ name })
    const list = await this.#call<{ resources: Deployment[] }>('GET', `/v2/deployments?${query}`)
    return list.resources.find((deployment) => deployment.name === name)
  }

  /** All that the key may see, newest first. */
  async listDeployments(): Promise<Deployment[]> {
    return this.#all('/v2/deployments')
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

  /** Begins the removal: the deployment is there, AWAITING_DELETE, until all of it is gone. */
  async deleteDeployment(id: string): Promise<void> {
    await this.#send('DELETE', `/v2/deployments/${id}`)
  }

  /** Newest first. */
  async listRevisions(deploymentId: string): Promise<Revision[]> {
    return this.#all(`/v2/deployments/${deploymentId}/revisions`)
  }

  async getRevision(deploymentId: string, revisionId: string): Promise<Revision> {
    return this.#call('GET', `/v2/deployments/${deploymentId}/revisions/${revisionId}`)
  }

  /** What a revision's build printed, from an offset on. */
  async readBuildLog(
    deploymentId: string,
    revisionId: string,
    offset: string | undefined,
  ): Promise<LogsPage> {
    const path = `/v1/projects/${deploymentId}/revisions/${revisionId}/build_logs`
    return this.#call('POST', path, { limit: 1000, offset: offset ?? null })
  }

  /** What a deployment's agent servers print, merged by time. `desc`: the newest first. */
  async readDeployLog(
    deploymentId: string,
    page: { order: 'asc' | 'desc'; limit: number; offset?: string | undefined },
  ): Promise<LogsPage> {
    return this.#call('POST', `/v1/projects/${deploymentId}/deploy_logs`, page)
  }

  /**
   * Makes a new revision out of an older one, which is up in about the time of a process start;
   * without an id out of the one that served before.
   */
  async rollBack(deploymentId: string, revisionId?: string): Promise<Revision> {
    const body = revisionId === undefined ? {} : { revision_id: revisionId }
    return this.#call('POST', `/v2/deployments/${deploymentId}/rollback`, body)
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
    await request(this.url, signed, { method: 'PUT', headers, body: tarball })
  }

  /** `workspace_id`: the key's own where it is absent. */
  async createApiKey(body: {
    name: string
    role: Role
    expires_at?: string
    workspace_id?: string
  }): Promise<NewApiKey> {
    return this.#call('POST', '/v2/api-keys', body)
  }

  /** Newest first, the revoked ones too. */
  async listApiKeys(workspace_id?: string): Promise<ApiKey[]> {
    return this.#all('/v2/api-keys', workspace_id === undefined ? {} : { workspace_id })
  }

  async revokeApiKey(id: string): Promise<void> {
    await this.#send('DELETE', `/v2/api-keys/${encodeURIComponent(id)}`)
  }

  /** Makes a new encryption key; answers how many texts were sealed with it. */
  async rotateEncryptionKey(): Promise<{ resealed: number }> {
    return this.#call('POST', '/v2/encryption-key/rotate')
  }

  /** Every page of a list. */
  async #all<T>(path: string, filter: Record<string, string> = {}): Promise<T[]> {
    const found: T[] = []
    for (;;) {
      const page = { limit: String(PAGE), offset: String(found.length) }
      const query = new URLSearchParams({ ...filter, ...page })
      const { resources } = await this.#call<{ resources: T[] }>('GET', `${path}?${query}`)
      found.push(...resources)
      if (resources.length < PAGE) return found
    }
  }

  async #call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.#send(method, path, body)
    return (await response.json()) as T
  }

  #send(method: string, path: string, body?: unknown): Promise<Response> {
    const headers: Record<string, string> = { 'x-api-key': this.#apiKey }
    if (body === undefined) return request(this.url, path, { method, headers })
    headers['content-type'] = 'application/json'
    return request(this.url, path, { method, headers, body: JSON.stringify(body) })
  }
}
