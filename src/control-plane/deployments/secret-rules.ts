/** Which secrets a deployment may have. */
import { DEPLOY_KEY, isPrivateKey } from '../../core/deployment/deploy-key.ts'
import { isPullSecret, PULL_SECRET } from '../../core/deployment/images/pull-secret.ts'
import type { Secret } from '../../core/deployment/revision.ts'
import { AppError } from '../../core/errors.ts'

/**
 * Names that Runyard sets itself, or that would change the database or the address of an agent server.
 * LangGraph Platform reserves them too. Those that it allows on self-hosted installations, for tracing
 * and for databases (`LANGSMITH_API_KEY`, `LANGSMITH_ENDPOINT`, `POSTGRES_URI_CUSTOM`,
 * `REDIS_URI_CUSTOM`), are allowed here too.
 */
const RESERVED = new Set([
  'LANGCHAIN_TRACING_V2',
  'LANGSMITH_TRACING_V2',
  'LANGCHAIN_ENDPOINT',
  'LANGCHAIN_PROJECT',
  'LANGSMITH_PROJECT',
  'LANGSMITH_LANGGRAPH_GIT_REPO',
  'LANGGRAPH_GIT_REPO_PATH',
  'LANGCHAIN_API_KEY',
  'LANGSMITH_CONTROL_PLANE_API_KEY',
  'POSTGRES_URI',
  'POSTGRES_PASSWORD',
  'DATABASE_URI',
  'LANGSMITH_LANGGRAPH_GIT_REF',
  'LANGSMITH_LANGGRAPH_GIT_REF_SHA',
  'LANGGRAPH_AUTH_TYPE',
  'LANGSMITH_AUTH_ENDPOINT',
  'LANGSMITH_TENANT_ID',
  'LANGSMITH_AUTH_VERIFY_TENANT_ID',
  'LANGSMITH_HOST_PROJECT_ID',
  'LANGSMITH_HOST_PROJECT_NAME',
  'LANGSMITH_HOST_REVISION_ID',
  'LOG_JSON',
  'LOG_DICT_TRACEBACKS',
  'REDIS_URI',
  'LANGCHAIN_CALLBACKS_BACKGROUND',
  'DD_TRACE_PSYCOPG_ENABLED',
  'DD_TRACE_REDIS_ENABLED',
  'LANGSMITH_DEPLOYMENT_NAME',
  'LANGGRAPH_CLOUD_LICENSE_KEY',
  'PATH',
  'PORT',
  'MOUNT_PREFIX',
])

/** Runyard's own settings; of these names only the deploy key and the pull secret may be given. */
const RESERVED_PREFIX = 'RUNYARD_'

/** Throws `bad_request` for a reserved name and for a duplicate. */
export function checkSecrets(secrets: Secret[]): void {
  const seen = new Set<string>()
  for (const { name, value } of secrets) {
    if (name === DEPLOY_KEY) refuseOtherThanKey(value)
    else if (name === PULL_SECRET) refuseOtherThanPullSecret(value)
    else if (RESERVED.has(name) || name.startsWith(RESERVED_PREFIX)) {
      throw new AppError('bad_request', `The secret name ${name} is reserved; choose another.`)
    }
    if (seen.has(name)) {
      throw new AppError('bad_request', `The secret ${name} is there twice; send it once.`)
    }
    seen.add(name)
  }
}

function refuseOtherThanKey(value: string): void {
  if (isPrivateKey(value)) return
  throw new AppError(
    'bad_request',
    `The secret ${DEPLOY_KEY} must be a private key: the whole file, from -----BEGIN to -----END.`,
  )
}

function refuseOtherThanPullSecret(value: string): void {
  if (isPullSecret(value)) return
  throw new AppError(
    'bad_request',
    `The secret ${PULL_SECRET} must be what docker login writes into config.json: ` +
      '{"auths": {"registry.example.com": {"auth": "<name:password in base64>"}}}.',
  )
}

/** Throws `bad_request` for any secret reference. */
export function refuseSecretReferences(references: unknown[] | null | undefined): void {
  if (!references?.length) return
  throw new AppError(
    'bad_request',
    'secret_references are only for source external_docker; use secrets.',
  )
}
