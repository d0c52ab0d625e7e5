/** A client for the control plane, with types that are generated from its OpenAPI document. */
import createClient, { type Client } from 'openapi-fetch'
import { AgentServer } from './agent-server.ts'
import {
  type Deployment,
  type DeploymentCreateRequest,
  type DeploymentPatchRequest,
  type Logs,
  type paths,
  type Revision,
  type RevisionHistoryEntry,
  type RevisionStatus,
  type Secret,
  TERMINAL_REVISION_STATUSES,
  type UploadUrl,
} from './control-plane.gen.ts'
import { dataOf, everyPage, send } from './transport.ts'

export type {
  Timeline,
  TimelineAttempt,
  TimelineCheckpoint,
  TimelineSpan,
  WebhookDelivery,
  WebhookDeliveryWithPayload,
  WebhookTest,
} from './agent-server.gen.ts'
export type { AgentServer, StreamEvent } from './agent-server.ts'
export type * from './control-plane.gen.ts'
export { ControlPlaneError, dataOf, doneBy, everyPage, UnreachableError } from './transport.ts'

/** A sent list replaces all secrets of a deployment: this one keeps those that `given` does not name. */
export function mergedSecrets(before: readonly Secret[], given: readonly Secret[]): Secret[] {
  const names = new Set(given.map(({ name }) => name))
  return [...before.filter(({ name }) => !names.has(name)), ...given]
}

/** Whether the rollout of the revision has ended. */
export function isOver(status: RevisionStatus): boolean {
  return TERMINAL_REVISION_STATUSES.includes(status)
}

/**
 * Talks to one control plane with one key. Every call throws `ControlPlaneError` for an answer that is
 * not 2xx, and `UnreachableError` when there is no answer.
 */
export class ControlPlaneClient {
  /** Without a slash at the end. */
  readonly url: string
  /**
   * Every operation of the control plane, by method and path:
   * `dataOf(client.api.GET('/v2/workspaces/{workspace_id}', { params: { path: { workspace_id } } }))`.
   * The other methods of this class take several calls each, or are needed by every rollout.
   */
  readonly api: Client<paths>
  readonly #apiKey: string | undefined
  readonly #fetch: typeof fetch

  /**
   * `url` is without a path. `apiKey` is sent as `X-Api-Key`; a page needs none, since the browser sends
   * the session's cookie. The default of `fetch` is the global one.
   */
  constructor(options: { url: string; apiKey?: string; fetch?: typeof fetch }) {
    this.url = options.url.replace(/\/+$/, '')
    this.#apiKey = options.apiKey
    this.#fetch = options.fetch ?? fetch
    this.api = createClient<paths>({
      baseUrl: this.url,
      headers: keyHeader(options.apiKey),
      fetch: (request) => send(this.#fetch, this.url, request),
    })
  }

  /** The agent server of the deployment of this name. It uses the address that this client knows. */
  agentServer(name: string): AgentServer {
    const url = `${this.url}/agents/${encodeURIComponent(name)}`
    const headers = keyHeader(this.#apiKey)
    return new AgentServer({ url, base: this.url, headers, fetch: this.#fetch })
  }

  /** The deployment of exactly this name, among those the key may see. */
  async findDeployment(name: string): Promise<Deployment | undefined> {
    const { resources } = await dataOf(
      this.api.GET('/v2/deployments', { params: { query: { name } } }),
    )
    return resources.find((deployment) => deployment.name === name)
  }

  /** All deployments that the key may see, the newest first. */
  async listDeployments(): Promise<Deployment[]> {
    return everyPage((page) => dataOf(this.api.GET('/v2/deployments', { params: { query: page } })))
  }

  async getDeployment(deployment_id: string): Promise<Deployment> {
    const params = { path: { deployment_id } }
    return dataOf(this.api.GET('/v2/deployments/{deployment_id}', { params }))
  }

  async createDeployment(body: DeploymentCreateRequest): Promise<Deployment> {
    return dataOf(this.api.POST('/v2/deployments', { body }))
  }

  async patchDeployment(deployment_id: string, body: DeploymentPatchRequest): Promise<Deployment> {
    const params = { path: { deployment_id } }
    return dataOf(this.api.PATCH('/v2/deployments/{deployment_id}', { params, body }))
  }

  /** All revisions of the deployment, the newest first. */
  async listRevisions(deployment_id: string): Promise<Revision[]> {
    const path = { deployment_id }
    return everyPage((query) =>
      dataOf(
        this.api.GET('/v2/deployments/{deployment_id}/revisions', { params: { path, query } }),
      ),
    )
  }

  /** Who made each of them, why, and what it changed: of all, the newest first. */
  async listRevisionHistory(deployment_id: string): Promise<RevisionHistoryEntry[]> {
    const path = { deployment_id }
    return everyPage((query) =>
      dataOf(
        this.api.GET('/v2/deployments/{deployment_id}/revision-history', {
          params: { path, query },
        }),
      ),
    )
  }

  async getRevision(deployment_id: string, revision_id: string): Promise<Revision> {
    const params = { path: { deployment_id, revision_id } }
    return dataOf(
      this.api.GET('/v2/deployments/{deployment_id}/revisions/{revision_id}', { params }),
    )
  }

  /** The output of a revision's build from an offset on. */
  async readBuildLog(
    project_id: string,
    revision_id: string,
    offset: string | undefined,
  ): Promise<Logs> {
    return dataOf(
      this.api.POST('/v1/projects/{project_id}/revisions/{revision_id}/build_logs', {
        params: { path: { project_id, revision_id } },
        body: { limit: 1000, offset: offset ?? null },
      }),
    )
  }

  async requestUpload(deployment_id: string): Promise<UploadUrl> {
    const params = { path: { deployment_id } }
    return dataOf(this.api.POST('/v2/deployments/{deployment_id}/upload-url', { params }))
  }

  /**
   * Sends a gzipped tarball to the signed URL. It uses the address that this client knows, since the
   * public one in the URL may not be reachable from here. The key is not sent.
   */
  async upload(upload: UploadUrl, tarball: Uint8Array<ArrayBuffer>): Promise<void> {
    const signed = upload.upload_url.slice(upload.upload_url.indexOf('/v2/uploads/'))
    const headers = { 'content-type': 'application/gzip' }
    const request = new Request(`${this.url}${signed}`, { method: 'PUT', headers, body: tarball })
    await send(this.#fetch, this.url, request)
  }
}

function keyHeader(apiKey: string | undefined): Record<string, string> {
  return apiKey ? { 'x-api-key': apiKey } : {}
}
