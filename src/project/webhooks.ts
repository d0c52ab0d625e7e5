/** `webhooks` of `langgraph.json`: their content, and where they may go. */
import { z } from 'zod'
import type { WebhookConfig } from '../core/agent/webhook.ts'

const MAX_URL_LENGTH = 65_536

export const WebhooksEntry = z.looseObject({
  env_prefix: z.string().min(1, 'write what variables begin with, such as "LG_WEBHOOK_"').nullish(),
  allowed_fields: z.array(z.string().min(1), 'write a list of fields, such as "status"').nullish(),
  headers: z.record(z.string(), z.string(), 'write a map of names and values').nullish(),
  url: z
    .looseObject({
      allowed_domains: z.array(z.string().min(1), 'write a list of host names').nullish(),
      allowed_ports: z.array(z.int().min(1).max(65_535), 'write a list of ports').nullish(),
      require_https: z.boolean().nullish(),
      disable_loopback: z.boolean().nullish(),
      disable_private_ips: z.boolean().nullish(),
      max_url_length: z.int().min(1).max(MAX_URL_LENGTH).nullish(),
    })
    .nullish(),
})

export function readWebhookConfig(
  webhooks: z.infer<typeof WebhooksEntry> | null | undefined,
): WebhookConfig {
  const { env_prefix, headers, allowed_fields, url } = webhooks ?? {}
  return {
    envPrefix: env_prefix ?? 'LG_WEBHOOK_',
    headers: headers ?? {},
    ...(allowed_fields && { allowedFields: allowed_fields }),
    url: {
      allowedDomains: url?.allowed_domains ?? [],
      allowedPorts: url?.allowed_ports ?? [],
      isHttpsRequired: url?.require_https ?? false,
      isLocalRefused: url?.disable_loopback ?? false,
      isPrivateRefused: url?.disable_private_ips ?? false,
      maxLength: url?.max_url_length ?? MAX_URL_LENGTH,
    },
  }
}
