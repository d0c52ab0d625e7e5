/** Signs webhooks according to Standard Webhooks. */
import { createHmac } from 'node:crypto'

/**
 * The headers `webhook-id`, `webhook-timestamp` (s since 1970) and, with secrets, `webhook-signature`. It
 * has one signature for each secret, so that receivers can change from one secret to the next.
 */
export function signatureHeaders(
  message: { id: string; body: string },
  /** ms since 1970 */
  now: number,
  secrets: readonly Uint8Array[],
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  const signed = `${message.id}.${timestamp}.${message.body}`
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`,
  )
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  }
}
