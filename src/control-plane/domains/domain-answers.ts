/** Stored domains as the API answers them. */

import type { Domain } from '../../core/deployment/domain.ts'
import { answerOf } from '../../http/answer.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { urlAt } from '../deployments/deployment-answers.ts'
import { certificateAnswer } from './certificate.ts'
import { type DomainAnswer, DomainSchema } from './domain-schemas.ts'

export type Reading = Pick<ControlPlaneParts, 'store' | 'publicUrl' | 'dns'>

/**
 * `home`: the URL of the gateway in front of the deployment; `null`: not known yet. Waits for the DNS no longer than
 * its limit.
 */
export async function domainAnswer(
  { dns, publicUrl }: Reading,
  domain: Domain,
  home: string | null,
): Promise<DomainAnswer> {
  const { host, certificate } = domain
  return answerOf(DomainSchema, domain, {
    url: urlAt(host, home ?? publicUrl()),
    dns: await dns.stateOf(host, hostOf(home)),
    certificate: certificate === null ? null : certificateAnswer(certificate),
  })
}

/** The name or address in the URL; an IPv6 address without its brackets. */
export function hostOf(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null
  return new URL(url).hostname.replace(/^\[|\]$/g, '')
}
