/** An assistant's card, which other agents read before they talk to it. */
import type { AgentCard, SecurityScheme } from '@a2a-js/sdk'
import type { Assistant } from '../../core/agent/assistant.ts'
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'

interface CardAbout {
  assistant: Assistant
  /** The server's URL as its clients see it, without a trailing slash. */
  baseUrl: string
  /** The server's version. */
  version: string
  hasMessages: boolean
  /** Whether the project has webhooks, which carry push notifications. */
  hasPushNotifications: boolean
  /** Whether the server, or its gateway, requires a key. The card does not describe a project's own auth. */
  needsKey: boolean
}

/** The card lists both protocol versions at one address. */
export function agentCard({ assistant, baseUrl, version, ...about }: CardAbout): AgentCard {
  const { assistant_id, graph_id, name } = assistant
  const description = assistant.description || `The agent "${name}".`
  const at = { url: `${baseUrl}/a2a/${assistant_id}`, protocolBinding: 'JSONRPC', tenant: '' }
  const skill = { id: graph_id, name, description, tags: [graph_id] }
  return {
    name,
    description,
    supportedInterfaces: [
      { ...at, protocolVersion: '1.0' },
      { ...at, protocolVersion: '0.3' },
    ],
    provider: undefined,
    version: `${version}+${assistant.version}`,
    capabilities: {
      streaming: true,
      pushNotifications: about.hasPushNotifications,
      extensions: [],
      extendedAgentCard: true,
    },
    securitySchemes: about.needsKey ? SCHEMES : {},
    securityRequirements: about.needsKey
      ? Object.keys(SCHEMES).map((scheme) => ({ schemes: { [scheme]: { list: [] } } }))
      : [],
    defaultInputModes: about.hasMessages ? ['text/plain', ...DATA, ...FILES] : DATA,
    defaultOutputModes: about.hasMessages ? ['text/plain', ...DATA] : DATA,
    skills: [{ ...skill, examples: [], inputModes: [], outputModes: [], securityRequirements: [] }],
    signatures: [],
  }
}

/**
 * One card with the fields of both protocol versions, for clients that do not send a version. Objects
 * of the same name are merged, and lists element by element.
 */
export function mergeCards(current: JsonObject, legacy: JsonObject): JsonObject {
  const merged: JsonObject = { ...legacy }
  for (const [name, value] of Object.entries(current)) merged[name] = merge(value, legacy[name])
  return merged
}

function merge(one: JsonValue, other: JsonValue | undefined): JsonValue {
  if (isObject(one) && isObject(other)) return mergeCards(one, other)
  if (!Array.isArray(one) || !Array.isArray(other)) return one
  return one.map((element, place) => merge(element, other[place]))
}

const DATA = ['application/json']
const FILES = ['image/*', 'audio/*', 'video/*', 'application/pdf']

const SCHEMES: Record<string, SecurityScheme> = {
  apiKey: {
    scheme: {
      $case: 'apiKeySecurityScheme',
      value: { description: 'An API key.', location: 'header', name: 'X-Api-Key' },
    },
  },
  bearer: {
    scheme: {
      $case: 'httpAuthSecurityScheme',
      value: { description: 'An API key as a bearer token.', scheme: 'bearer', bearerFormat: '' },
    },
  },
}
