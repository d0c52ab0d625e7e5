/** The settings of an agent server, from `serve` and its project. */
import { type OpenTo, STUDIO_ORIGINS } from '../agent-server/access/open-door.ts'
import type { Limits } from '../agent-server/limits.ts'
import { given } from '../agent-server/operations/given.ts'
import type { ProjectConfig } from '../project/config.ts'
import {
  readGraphConfigs,
  readIsLangSmithUsed,
  readLangSmithProject,
  readTimeMs,
  readWebhookEnvironment,
} from '../project/variables.ts'
import type { ServeConfig } from '../settings/config.ts'
import type { Environment } from '../settings/values.ts'

/** The settings with a value; `env` contains the project's own variables. */
export function agentServerSettings(
  config: ServeConfig,
  { webhooks }: ProjectConfig,
  env: Environment,
) {
  const { publicUrl, maxBodyBytes, apiKeys, role, workers, concurrency } = config
  return {
    ...given({ publicUrl, maxBodyBytes }),
    apiKeys,
    role: workers > 1 ? ('api' as const) : role,
    concurrency,
    limits: limitsOf(config),
    graphConfigs: readGraphConfigs(env),
    runTimeoutMs: readTimeMs(env, 'BG_JOB_TIMEOUT_SECS'),
    eventRetentionMs: readTimeMs(env, 'EVENT_RETENTION_MINUTES'),
    isLangSmithUsed: readIsLangSmithUsed(env),
    langSmithProject: readLangSmithProject(env),
    webhooks: {
      ...readWebhookEnvironment(webhooks.envPrefix, env),
      allowedAddresses: config.webhookAllow,
      timeoutMs: config.webhookTimeoutMs,
    },
  }
}

function limitsOf(config: ServeConfig): Partial<Limits> {
  const { maxPendingRuns, maxPendingRunsPerThread, maxRequestsPerSecond } = config
  const { streamBufferBytes, pageBytes, answerBytes, metadataBytes } = config
  return given({
    maxPendingRuns,
    maxPendingRunsPerThread,
    maxRequestsPerSecond,
    streamBufferBytes,
    pageBytes,
    answerBytes,
    metadataBytes,
  })
}

/**
 * Which hosts and origins may call the server when no key is needed. `dev` leaves keys to the server behind it,
 * which accepts requests that claim to be Studio without one.
 */
export function openDoor(
  config: ServeConfig,
  { isManaged, hasOwnAuth }: { isManaged: boolean; hasOwnAuth: boolean },
): { openTo?: OpenTo } {
  const hasKeys = config.apiKeys.length > 0
  const isOpen =
    config.devHost === undefined ? !hasKeys && !hasOwnAuth && !isManaged : !hasKeys || hasOwnAuth
  return isOpen ? { openTo: openTo(config) } : {}
}

function openTo({ host, devHost, publicUrl, allowedHosts, allowedOrigins }: ServeConfig): OpenTo {
  const own = publicUrl === undefined ? [] : [new URL(publicUrl)]
  return {
    host: devHost ?? host,
    hosts: [...allowedHosts, ...own.map(({ hostname }) => hostname)],
    origins: [...(allowedOrigins ?? STUDIO_ORIGINS), ...own.map(({ origin }) => origin)],
  }
}
