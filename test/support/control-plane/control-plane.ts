/**
 * A control plane of its own for one test: the real API and reconciler on a real database, over HTTP
 * on a free port; builds, agent servers and the gateway's table are second implementations.
 */

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { createArtifactStore } from '../../../src/artifacts/artifact-store.ts'
import { openFolderObjects } from '../../../src/artifacts/folder-objects.ts'
import { DnsStates } from '../../../src/control-plane/domains/dns.ts'
import { KnownDomains } from '../../../src/control-plane/domains/known-domains.ts'
import { Upkeep } from '../../../src/control-plane/oauth/upkeep.ts'
import { createVault, type Vault } from '../../../src/control-plane/oauth/vault.ts'
import { ensureAdminKey } from '../../../src/control-plane/people/installation.ts'
import { BuildFollowers } from '../../../src/control-plane/rollout/build-followers.ts'
import { Reconciler } from '../../../src/control-plane/rollout/reconciler.ts'
import type { ReconcilerLimits } from '../../../src/control-plane/rollout/rollout-parts.ts'
import { createControlPlaneApp } from '../../../src/control-plane/server/app.ts'
import { createRecogniseSession } from '../../../src/control-plane/sessions/find.ts'
import { OidcSignIn } from '../../../src/control-plane/sessions/oidc.ts'
import { type Clock, systemClock, timestamp } from '../../../src/core/clock.ts'
import type { ArtifactKind } from '../../../src/core/deployment/artifacts/artifact.ts'
import type { ArtifactStore } from '../../../src/core/deployment/artifacts/store.ts'
import type { ControlPlaneStore } from '../../../src/core/deployment/control-plane-store.ts'
import type { OwnRegistry } from '../../../src/core/deployment/images/registry.ts'
import type { Hub } from '../../../src/core/deployment/listener-protocol.ts'
import type { LogKind, RevisionLogs } from '../../../src/core/deployment/revision-log.ts'
import type { RuntimeDriver, RuntimeName } from '../../../src/core/deployment/runtime.ts'
import type { TargetTable } from '../../../src/core/deployment/target.ts'
import { type Log, silentLog } from '../../../src/core/log.ts'
import { parseIpRange } from '../../../src/core/network/ip-range.ts'
import type { OAuthProvider } from '../../../src/core/oauth/provider.ts'
import { DEFAULT_WORKSPACE_ID, newKey, type Role } from '../../../src/core/people/api-key.ts'
import type { UserTokenSettings } from '../../../src/core/people/user-token.ts'
import type { AnswerPage } from '../../../src/http/dashboard/app.ts'
import { createAuthenticate, createIdentify, hashKey } from '../../../src/http/keys.ts'
import { createSiteOf } from '../../../src/http/site.ts'
import { createVerifyUserToken } from '../../../src/http/user-tokens.ts'
import { createHub } from '../../../src/listener/hub.ts'
import { EncryptionKeys } from '../../../src/main/installation/encryption-keys.ts'
import { checkResourcesOf } from '../../../src/runtime/drivers.ts'
import { createSecretBox } from '../../../src/storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../../../src/storage/control-plane/store.ts'
import { createControlPlaneMetrics } from '../../../src/telemetry/control-plane-metrics.ts'
import { createRevisionLogs } from '../../../src/telemetry/revision-logs.ts'
import { createGuardedFetch } from '../../../src/webhook/guarded-fetch.ts'
import { FakeBuilder, FakeTarballs } from './fake-builder.ts'
import { FakeRuntimeDriver } from './fake-runtime-driver.ts'
import { FakeTargetTable } from './fake-target-table.ts'

/** A clock that a test can set ahead. */
export class SkippingClock implements Clock {
  #aheadMs = 0

  now(): number {
    return systemClock.now() + this.#aheadMs
  }

  skip(ms: number): void {
    this.#aheadMs += ms
  }
}

interface Answer {
  status: number
  headers: Headers
  /** The body; `undefined` when it is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  body: any
}

export interface ControlPlaneWorldOptions {
  limits?: Partial<ReconcilerLimits>
  /** Of one key. Default: any number. */
  maxRequestsPerSecond?: number
  /** `false`: nothing is rolled out until the test starts the reconciler. Default `true`. */
  isReconciling?: boolean
  /** Where it keeps its records, with what they are sealed with. Default: a database of its own. */
  database?: { url: string; encryptionKey: Buffer; adminKey: string }
  /** The base of what it hands out. Default: where it listens. */
  publicUrl?: string
  /** Nobody has said which public URL it has, and it knows only where it listens. Default: somebody has. */
  isUnnamed?: boolean
  /** A deployment also answers below it. Default: only at its path. */
  domain?: string
  /** Whom to ask about hosts. Default: nobody who answers. */
  dnsServers?: readonly string[]
  /** The dashboard. Default: none. */
  pages?: AnswerPage
  /** Whose signed tokens are taken, and where people sign in. Default: nobody's. */
  userTokens?: UserTokenSettings
  /** Default: `loopback`. */
  oauthAllow?: string
  /** Of the operator, by slug. Default: none. */
  platformProviders?: ReadonlyMap<string, OAuthProvider>
  /** How long a token or a code is one server's to be exchanged, in ms. Default: as in earnest. */
  claimMs?: number
  /** How long a provider may take to answer, in ms. Default 60,000. */
  outgoingMs?: number
  /** What the runtime driver starts. Default: folders. */
  artifacts?: readonly ArtifactKind[]
  /** Whose rules for `resource_spec` hold; default: nobody's. */
  runtime?: RuntimeName
  /** The operator's, for images. Default: none. */
  registry?: OwnRegistry
  /** Default: none. */
  log?: Log
}

/** How long a step of figures is. */
const STEP_MS = 30_000

/** How long a look at the DNS may take, in ms: a busy machine must not change what it finds. */
const DNS_LIMIT_MS = 10_000

const ARTIFACTS = ['folder'] as const

export class ControlPlaneWorld {
  readonly clock = new SkippingClock()
  readonly builder = new FakeBuilder()
  readonly tarballs = new FakeTarballs()
  readonly packed: ArtifactStore
  readonly logs: RevisionLogs
  readonly driver = new FakeRuntimeDriver()
  readonly targets = new FakeTargetTable()
  /** The hosts of their own at which the gateway was told to answer, and for which deployment. */
  hosts: ReadonlyMap<string, string> = new Map()
  /** The deployments whose data was removed. */
  readonly removedData: string[] = []
  readonly adminKey: string
  /** Called before the reconciler reads the deployments or writes together; may throw. */
  readonly faults = { beforeLook: () => {}, beforeTransaction: () => {} }
  url = ''
  /** Replaced by `restart`. */
  reconciler: Reconciler
  /** What listeners run beside the driver. */
  readonly hub: Hub
  readonly store: ControlPlaneStore
  readonly vault: Vault
  /** Works when a test says so. */
  readonly upkeep: Upkeep
  readonly #limits: Partial<ReconcilerLimits>
  readonly #artifacts: readonly ArtifactKind[]
  readonly #registry: OwnRegistry | undefined
  readonly #server: Server
  readonly #logsDir: string

  constructor(
    { store, keys }: { store: ControlPlaneStore; keys: EncryptionKeys },
    logsDir: string,
    options: ControlPlaneWorldOptions,
  ) {
    const { limits = {}, maxRequestsPerSecond } = options
    this.adminKey = options.database?.adminKey ?? newKey()
    this.store = store
    this.#logsDir = logsDir
    this.packed = createArtifactStore({
      ...{ signingKey: store.signingKey, clock: this.clock, homeUrl: async () => this.url },
      objects: openFolderObjects({ root: join(logsDir, 'objects') }),
      unfinishedDir: join(logsDir, 'unfinished'),
    })
    this.#limits = limits
    this.#artifacts = options.artifacts ?? ARTIFACTS
    this.driver.artifacts = this.#artifacts
    this.#registry = options.registry
    this.logs = createRevisionLogs({ paths: (kind, id) => [join(logsDir, `${id}.${kind}.log`)] })
    this.vault = this.#createVault(options)
    const tidied = { store, vault: this.vault, clock: this.clock, log: silentLog }
    this.upkeep = new Upkeep(tidied)
    this.hub = createHub({
      ...{ driver: this.driver, targets: this.targets, drainMs: 1000, log: silentLog },
      homeKey: async (deployment_id) => `key of ${deployment_id}`,
      dataKey: (deployment_id) => `data key of ${deployment_id}`,
      placeOf: async (_, { deployment_id }) =>
        (await store.deployments.get(deployment_id)) ? 'there' : 'nowhere',
      appendLog: () => {},
    })
    this.reconciler = this.#newReconciler(this.hub.driver, this.hub.targets)
    const domains = new KnownDomains({
      ...{ store, log: silentLog },
      hosts: {
        replace: (names) => {
          this.hosts = names
        },
      },
    })
    const siteOf = createSiteOf({ publicUrl: () => options.publicUrl ?? this.url, isTls: false })
    const people = options.userTokens && peopleOf(options.userTokens, store, this.clock)
    const verifyUserToken = people?.verifyUserToken
    const keyed = { apiKeys: store.apiKeys, clock: this.clock, verifyUserToken }
    const recogniseSession = createRecogniseSession({ store, clock: this.clock, siteOf })
    const app = createControlPlaneApp({
      ...(maxRequestsPerSecond !== undefined && { maxRequestsPerSecond }),
      version: '0.0.0',
      store,
      tarballs: this.tarballs,
      artifacts: this.#artifacts,
      checkResources: (spec) => checkResourcesOf(options.runtime ?? 'process', spec),
      registry: options.registry,
      packed: this.packed,
      logs: this.logs,
      snapshots: this.builder.snapshots,
      buildFollowers: new BuildFollowers(this.clock),
      authenticate: createAuthenticate({ ...keyed, recogniseSession }),
      identify: createIdentify(keyed),
      siteOf,
      ...(people?.oidc && { oidc: people.oidc }),
      vault: this.vault,
      signingKey: store.signingKey,
      changeEncryptionKey: () => keys.change(store),
      publicUrl: () => options.publicUrl ?? this.url,
      domain: options.domain,
      ownUrls: () => ({
        urls: [options.publicUrl ?? this.url],
        areNamed: options.isUnnamed !== true,
      }),
      dns: new DnsStates({
        clock: this.clock,
        servers: options.dnsServers ?? ['127.0.0.1:9'],
        limitMs: DNS_LIMIT_MS,
      }),
      isDomain: (host) => this.hosts.has(host),
      whenDomainsKnown: () => domains.refresh(),
      replicas: (revision_id) => this.driver.replicas(revision_id),
      exchange: (...exchange) => this.hub.exchange(...exchange),
      wake: () => this.reconciler.wake(),
      whenTended: (deployment_id) => this.reconciler.whenTended(deployment_id),
      figuresStepMs: STEP_MS,
      // Most tests read no figures: a world is made the sooner for it.
      metrics: {
        requestAnswered() {},
        requestPassed() {},
        read: async (format) => (await createControlPlaneMetrics(store)).read(format),
      },
      ...(options.pages && { pages: options.pages }),
      clock: this.clock,
      log: options.log ?? silentLog,
    })
    this.#server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server
    // As the gateway has it: after Node's own 5 s a connection would close under the request of a test that was held up.
    this.#server.keepAliveTimeout = 75_000
  }

  async start(isReconciling: boolean): Promise<void> {
    await ensureAdminKey(this.store.apiKeys, this.adminKey, this.clock)
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    if (isReconciling) await this.reconciler.start()
  }

  async close(): Promise<void> {
    await this.reconciler.stop()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
    await this.store.close()
    rmSync(this.#logsDir, { recursive: true, force: true })
  }

  /** Adds lines to a revision's log, all at this time: now unless given. */
  log(kind: LogKind, revision_id: string, lines: string[], time = timestamp(this.clock)): void {
    const text = lines.map((line) => `${time} ${line}\n`).join('')
    appendFileSync(join(this.#logsDir, `${revision_id}.${kind}.log`), text)
  }

  /**
   * What a new process would find: the record and the builds. Agent servers and the gateway's table
   * are new, unless given.
   */
  async restart(): Promise<{ driver: FakeRuntimeDriver; targets: FakeTargetTable }> {
    await this.reconciler.stop()
    const driver = new FakeRuntimeDriver()
    driver.artifacts = this.#artifacts
    const targets = new FakeTargetTable()
    this.reconciler = this.#newReconciler(driver, targets)
    await this.reconciler.start()
    return { driver, targets }
  }

  /** A new key; of the default workspace when none is named. */
  async keyOf(role: Role, workspace_id = DEFAULT_WORKSPACE_ID): Promise<string> {
    const key = newKey()
    await this.store.apiKeys.put({
      id: randomUUID(),
      name: `a ${role}`,
      workspace_id,
      role,
      key_hash: hashKey(key),
      hint: null,
      created_at: timestamp(this.clock),
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
    })
    return key
  }

  /** One request with a key, the admin's unless named; `null` sends none. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    key: string | null = this.adminKey,
  ): Promise<Answer> {
    const response = await fetch(path.startsWith('http') ? path : this.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === null ? {} : { 'x-api-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const { status, headers } = response
    const isJson = /^application\/json\b/.test(headers.get('content-type') ?? '')
    return { status, headers, body: text === '' ? undefined : isJson ? JSON.parse(text) : text }
  }

  #createVault({
    oauthAllow = 'loopback',
    platformProviders = new Map(),
    claimMs,
    outgoingMs: timeoutMs = 60_000,
  }: ControlPlaneWorldOptions) {
    return createVault({
      store: this.#faultyStore(),
      outgoing: createGuardedFetch({ allowed: parseIpRange(oauthAllow) ?? [], timeoutMs }),
      platformProviders,
      ...(claimMs !== undefined && { claimMs }),
      clock: this.clock,
      log: silentLog,
    })
  }

  #newReconciler(driver: RuntimeDriver, targets: TargetTable): Reconciler {
    const parts = {
      store: this.#faultyStore(),
      builder: this.builder,
      driver,
      targets,
      registry: this.#registry,
      tarballs: this.tarballs,
      logs: this.logs,
      snapshots: this.builder.snapshots,
      vault: this.vault,
      removeData: async (deployment_id: string) => {
        this.removedData.push(deployment_id)
      },
      clock: this.clock,
      log: silentLog,
    }
    return new Reconciler(parts, { lookEveryMs: 20, ...this.#limits })
  }

  /** The store as the reconciler sees it: with the faults that a test puts in. */
  #faultyStore(): ControlPlaneStore {
    const { store, faults } = this
    return {
      ...store,
      deployments: {
        ...store.deployments,
        listIds: async () => {
          faults.beforeLook()
          return store.deployments.listIds()
        },
      },
      transaction: async (work) => {
        faults.beforeTransaction()
        return store.transaction(work)
      },
    }
  }
}

export async function startControlPlane(
  options: ControlPlaneWorldOptions = {},
): Promise<ControlPlaneWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'runyard-logs-'))
  const { url = ':memory:', encryptionKey } = options.database ?? {}
  const keys = new EncryptionKeys(
    { dataDir, encryptionKey, oldEncryptionKeys: [] },
    createSecretBox,
  )
  const store = await openControlPlaneStore(url, keys.box)
  const world = new ControlPlaneWorld({ store, keys }, dataDir, options)
  await world.start(options.isReconciling ?? true)
  return world
}

/** A valid request for a deployment from a git repository; a test changes what it is about. */
export function aCreateRequest(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'support',
    source: 'github',
    source_config: { repo_url: 'https://git.example.com/agent.git' },
    source_revision_config: { repo_ref: 'main', langgraph_config_path: 'langgraph.json' },
    secrets: [],
    ...change,
  }
}

function peopleOf(settings: UserTokenSettings, { workspaces }: ControlPlaneStore, clock: Clock) {
  const { issuer, client, clockSkewMs } = settings
  const verifyUserToken = createVerifyUserToken(settings, { workspaces, clock })
  if (!client) return { verifyUserToken }
  const ofClient = { ...settings, audience: client.clientId }
  const verifyIdToken = createVerifyUserToken(ofClient, { workspaces, clock })
  const parts = { issuer, settings: client, verifyIdToken, verifyUserToken, clockSkewMs }
  return { verifyUserToken, oidc: new OidcSignIn(parts) }
}
