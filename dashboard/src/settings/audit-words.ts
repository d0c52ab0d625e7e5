/** The audit log's actions in words. The types require an entry for each new action. */
import type { AuditEntry } from '@runyard/client'

type Action = AuditEntry['action']
type NounOf<Name> = Name extends `${infer Noun}.${string}` ? Noun : never

export const NOUNS: Record<NounOf<Action>, string> = {
  deployment: 'Deployments',
  revision: 'Revisions',
  upload: 'Uploads',
  api_key: 'API keys',
  agent_key: "Agents' keys",
  session: 'Sessions',
  sign_in_link: 'Sign-in links',
  workspace: 'Workspaces',
  oauth_provider: 'OAuth providers',
  oauth_consent: 'OAuth consents',
  oauth_token: 'OAuth tokens',
  oauth_connection: 'OAuth connections',
  listener: 'Listeners',
  domain: 'Domains',
  push_token: 'Push tokens',
  push_webhook: 'Push webhooks',
  audit_log: 'The audit log',
  encryption_key: 'The encryption key',
}

/** The actor comes before these words, and the target's name after them. */
const WORDS: Record<Action, string> = {
  'api_key.create': 'created the API key',
  'api_key.revoke': 'revoked the API key',
  'audit_log.export': 'exported the audit log',
  'deployment.create': 'created the deployment',
  'deployment.update': 'changed the deployment',
  'deployment.delete': 'deleted the deployment',
  'domain.create': 'added the domain',
  'domain.update': 'changed the certificate of the domain',
  'domain.delete': 'removed the domain',
  'agent_key.rotate': 'changed the agent key of',
  'encryption_key.rotate': 'changed the encryption key',
  'listener.create': 'created the listener',
  'listener.update': 'changed the listener',
  'listener.delete': 'deleted the listener',
  'oauth_connection.create': 'connected an agent to',
  'oauth_connection.delete': 'disconnected an agent from',
  'oauth_consent.begin': 'began to give consent at',
  'oauth_consent.complete': 'gave consent at',
  'oauth_provider.create': 'created the OAuth provider',
  'oauth_provider.update': 'changed the OAuth provider',
  'oauth_provider.delete': 'deleted the OAuth provider',
  'oauth_token.read': 'read an OAuth token of',
  'oauth_token.update': 'changed an OAuth token of',
  'oauth_token.delete': 'deleted an OAuth token of',
  'push_token.create': 'took a token to push an image of',
  'push_webhook.create': 'created the push webhook of',
  'push_webhook.delete': 'deleted the push webhook of',
  'revision.create': 'created a revision of',
  'revision.redeploy': 'redeployed a revision of',
  'revision.interrupt': 'interrupted a revision of',
  'revision.rollback': 'rolled back',
  'session.create': 'signed in as',
  'session.end': 'ended a session of',
  'sign_in_link.create': 'created a sign-in link for',
  'upload.create': 'uploaded a source for',
  'workspace.create': 'created the workspace',
  'workspace.update': 'changed the workspace',
  'workspace.delete': 'deleted the workspace',
}

/** `deployment.create` is "created the deployment", `revision.create` of #3 is "created #3 of". */
export function actionText({ action, detail }: Pick<AuditEntry, 'action' | 'detail'>): string {
  const text = WORDS[action] ?? action
  return detail.number === undefined ? text : text.replace('a revision', `#${detail.number}`)
}

/** Follows the name of the target: the revision that a rollback chose, or that a change made. */
export function revisionText({ action, detail }: Pick<AuditEntry, 'action' | 'detail'>): string {
  if (detail.number === undefined) return ''
  if (action === 'revision.rollback') return ` to #${detail.number}`
  return action === 'deployment.update' ? ` as #${detail.number}` : ''
}
