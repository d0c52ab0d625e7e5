/** Secrets: environment variables of the agent server. */
import { z } from '@hono/zod-openapi'
import { freeText, line } from '../operations/text.ts'

const Value = freeText(64 * 1024)

/** A name that a process can have in its environment, and up to 64 KiB of value. */
const SecretSchema = z
  .object({
    name: z
      .string()
      .max(256)
      .regex(/^[A-Za-z_.-][A-Za-z0-9_.-]*$/, 'Expected the name of a variable'),
    value: Value,
  })
  .openapi('Secret')

/** At most 200 of them. */
export const SecretsSchema = z.array(SecretSchema).max(200)

/** A reference into a Kubernetes secret; only `external_docker` sources could use one. */
export const SecretReferenceSchema = z
  .object({ name: line(256), secret_name: line(256), secret_key: line(256) })
  .openapi('SecretReference')
