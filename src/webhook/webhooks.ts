/**
 * Webhooks as one part: checks the URLs of runs, fills in the headers that a project adds, and sends the deliveries.
 */
import type { WebhookConfig, WebhookDeliveryStore } from '../core/agent/webhook.ts'
import type { Clock } from '../core/clock.ts'
import { AppError, invalidField } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import type { IpRange } from '../core/network/ip-range.ts'
import { createGuardedAgent, type ResolveName } from './guarded-fetch.ts'
import { post } from './post.ts'
import { exponentialBackoff, type SenderParts, WebhookSender } from './sender.ts'
import { destinationOf, type UrlRules } from './url-rules.ts'

/** The settings of webhooks, from the operator and the environment. */
export interface WebhookSettings {
  /** The keys that sign, the newest first. Default: none; messages are not signed. */
  secrets?: readonly Uint8Array[]
  /** The variables that header templates may use. Default: none. */
  env?: Readonly<Record<string, string | undefined>>
  /** Addresses that may be reached although they are not public. Default: none. */
  allowedAddresses?: readonly IpRange[]
  /** How long an attempt may take, in ms. Default 10,000. */
  timeoutMs?: number
  /** How long to wait after a failed attempt, in ms. Default: from 1 s up to an hour. */
  backoffMs?: (attempt: number) => number
  /** Default: the machine's own resolver. */
  resolve?: ResolveName
}

interface WebhooksParts {
  config: WebhookConfig
  settings: WebhookSettings
  /** The project has switched webhooks off: no run may have one. */
  isDisabled: boolean
  deliveries: WebhookDeliveryStore
  onAttempt: SenderParts['onAttempt']
  clock: Clock
  log: Log
}

/** Passes a request to this server's own app. */
type Local = (request: Request) => Promise<Response>

const DEFAULT_TIMEOUT_MS = 10_000
const DISABLED =
  'The project has webhooks switched off ("http.disable_webhooks" of langgraph.json); leave it out.'

export class Webhooks {
  readonly #rules: UrlRules
  readonly #isDisabled: boolean
  #agent: ReturnType<typeof createGuardedAgent> | undefined
  readonly #createSender: (local: Local) => WebhookSender
  /** `undefined` until the start. */
  #sender: WebhookSender | undefined

  /** Throws `bad_request` when the configured headers are invalid. */
  constructor(parts: WebhooksParts) {
    const { config, settings, isDisabled, deliveries, onAttempt, clock, log } = parts
    const { secrets = [], env = {}, resolve } = settings
    const { isPrivateRefused } = config.url
    const allowedAddresses = isPrivateRefused ? [] : (settings.allowedAddresses ?? [])
    const { timeoutMs = DEFAULT_TIMEOUT_MS, backoffMs = exponentialBackoff } = settings
    const headers = fillHeaders(config.headers, { prefix: config.envPrefix, env })
    const rules = { ...config.url, allowedAddresses }
    const agentOptions = { timeoutMs, ...(resolve && { resolve }) }
    const dispatcher = () => {
      this.#agent ??= createGuardedAgent(allowedAddresses, agentOptions)
      return this.#agent
    }
    this.#rules = rules
    this.#isDisabled = isDisabled
    this.#createSender = (local) =>
      new WebhookSender({
        ...{ deliveries, headers, secrets, timeoutMs, backoffMs, onAttempt, clock },
        ...(config.allowedFields && { allowedFields: config.allowedFields }),
        post: (message, signal) => post({ rules, dispatcher, local }, message, signal),
        log: log.child({ part: 'webhooks' }),
      })
  }

  /** Throws `invalid` for a refused URL. An absent URL passes. */
  check(url: string | undefined): void {
    const problem = url === undefined ? undefined : this.#problemOf(url)
    if (problem !== undefined) throw invalidField(['body', 'webhook'], problem)
  }

  #problemOf(url: string): string | undefined {
    if (this.#isDisabled) return DISABLED
    const destination = destinationOf(url, this.#rules)
    return 'problem' in destination ? destination.problem : undefined
  }

  /** `WebhookSender.sendOnce`. Throws `unavailable` until the start. */
  async sendOnce(
    ...message: Parameters<WebhookSender['sendOnce']>
  ): ReturnType<WebhookSender['sendOnce']> {
    if (this.#sender) return this.#sender.sendOnce(...message)
    throw new AppError('unavailable', 'The server sends no webhooks yet. Try again in a moment.')
  }

  /** Looks for deliveries. Call it after the commit that wrote one or made one due again. */
  wake(): void {
    this.#sender?.wake()
  }

  start(local: Local): void {
    this.#sender = this.#createSender(local)
    this.#sender.start()
  }

  /** A second call is harmless. */
  async stop(): Promise<void> {
    await this.#sender?.stop()
    await (await this.#agent)?.close()
  }
}

/** Headers that the sender or HTTP itself sets. */
const RESERVED =
  /^(host|content-(type|length)|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|webhook-.*)$/i
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/
const TEMPLATE = /\$\{\{\s*(.*?)\s*\}\}/g

/**
 * Replaces each `${{ env.NAME }}` in the headers. Only variables that begin with the prefix may be used, so that a
 * header cannot reveal another secret of the server. Throws `bad_request` with the header's name, never its value.
 */
export function fillHeaders(
  headers: Readonly<Record<string, string>>,
  { prefix, env }: { prefix: string; env: Readonly<Record<string, string | undefined>> },
): Record<string, string> {
  const filled = Object.entries(headers).map(([name, template]): [string, string] => {
    if (!NAME.test(name)) throw problem(name, 'is not the name of a header')
    if (RESERVED.test(name)) throw problem(name, 'is set by Runyard; choose another name')
    const value = template.replace(TEMPLATE, (_, expression: string) =>
      variable(expression, { header: name, prefix, env }),
    )
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw problem(name, 'has a value with a character that headers cannot carry')
    }
    return [name.toLowerCase(), value]
  })
  return Object.fromEntries(filled)
}

function variable(
  expression: string,
  from: { header: string; prefix: string; env: Readonly<Record<string, string | undefined>> },
): string {
  const { header, prefix, env } = from
  const name = /^env\.(\w+)$/.exec(expression)?.[1]
  if (!name) throw problem(header, `has a template that is not of the form \${{ env.NAME }}`)
  if (!name.startsWith(prefix)) {
    throw problem(header, `names ${name}; only variables that begin with ${prefix} may be used`)
  }
  const value = env[name]
  if (value === undefined) throw problem(header, `needs the variable ${name}, which is not set`)
  return value
}

function problem(name: string, what: string): AppError {
  return new AppError('bad_request', `webhooks.headers: "${name}" ${what}.`)
}
