/** Domains on the wire. */
import { z } from '@hono/zod-openapi'
import { DNS_STATES } from '../../core/deployment/domain.ts'
import { freeText, line, Uuid } from '../operations/text.ts'

/** In PEM: room for a chain of ten. */
const Pem = freeText(65_536)

/** `certificate` and `private_key` come together, or not at all. */
export const DomainCreateRequestSchema = z
  .object({
    host: line(1024),
    certificate: Pem.nullish(),
    private_key: Pem.nullish(),
  })
  .openapi('DomainCreateRequest')

export type DomainCreateRequest = z.infer<typeof DomainCreateRequestSchema>

/** In PEM: the certificate, followed by those of its chain; and its private key, without a passphrase. */
export const DomainCertificateRequestSchema = z
  .object({ certificate: Pem, private_key: Pem })
  .openapi('DomainCertificateRequest')

/** A certificate without its key. */
const CertificateSchema = z
  .object({
    issuer: z.string(),
    names: z.array(z.string()).openapi({ description: 'For which hosts it is.' }),
    not_before: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    fingerprint: z.string().openapi({ description: 'SHA-256.' }),
  })
  .openapi('DomainCertificate')

export type CertificateAnswer = z.infer<typeof CertificateSchema>

/**
 * `dns` says where the host leads, and decides nothing: `points_here`, `elsewhere`, `unresolved` (it leads
 * nowhere), or `unknown` when no name server has answered in time. Without a `certificate` TLS uses the installation's.
 */
export const DomainSchema = z
  .object({
    host: z.string(),
    url: z.string(),
    dns: z.enum(DNS_STATES),
    certificate: CertificateSchema.nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi('Domain')

export type DomainAnswer = z.infer<typeof DomainSchema>

/** The oldest first. `points_to`: the name or address that their DNS has to lead to; `null`: not known yet. */
export const DomainsListSchema = z
  .object({ resources: z.array(DomainSchema), points_to: z.string().nullable() })
  .openapi('DomainsList')

export const DomainsPathSchema = z.object({ deployment_id: Uuid })

export const DomainPathSchema = z.object({ deployment_id: Uuid, host: line(1024) })
