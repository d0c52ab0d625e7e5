/** Generates the client's types from the OpenAPI documents. */
import openapiTypes, { astToString } from 'openapi-typescript'
import ts from 'typescript'

const header = (name: string) =>
  `/** Generated from openapi/${name}.json by "npm run generate": do not edit. */\n\n`

/** What of an agent server the official SDK has no types for. */
const OF_AGENT_SERVERS = ['Timeline', 'WebhookDeliveryWithPayload', 'WebhookTest']

/** The part of the document that is read here. */
interface Document {
  components: { schemas: { RevisionStatus: { 'x-terminal': string[] } } }
}

interface Schemas {
  components: { schemas: Record<string, unknown> }
}

/** Answers the text of `src/control-plane.gen.ts`: a type for each path, operation and schema. */
export async function clientTypes(document: string): Promise<string> {
  const types = await typesOf(document)
  return `${header('control-plane')}${types}\n${terminalStatuses(JSON.parse(document))}`
}

/** Answers the text of `src/agent-server.gen.ts`: the schemas alone that are needed, with those that they name. */
export async function agentServerTypes(document: string): Promise<string> {
  const { components, ...rest } = JSON.parse(document) as Schemas
  const schemas: Schemas['components']['schemas'] = {}
  const take = (name: string) => {
    if (Object.hasOwn(schemas, name)) return
    schemas[name] = components.schemas[name]
    const text = JSON.stringify(schemas[name])
    for (const [, named = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) take(named)
  }
  OF_AGENT_SERVERS.forEach(take)
  const part = JSON.stringify({ ...rest, paths: {}, components: { schemas } })
  return `${header('agent-server')}${await typesOf(part)}`
}

async function typesOf(document: string): Promise<string> {
  const types = await openapiTypes(document, {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    transform: ({ format }) =>
      format === 'binary' ? ts.factory.createTypeReferenceNode('Blob') : undefined,
  })
  return astToString(types)
}

/**
 * The statuses at which a rollout has ended, from the document, so that the client has no list of its
 * own.
 */
function terminalStatuses({ components }: Document): string {
  const terminal = JSON.stringify(components.schemas.RevisionStatus['x-terminal'])
  return (
    '/** The statuses at which a rollout has ended. */\n' +
    `export const TERMINAL_REVISION_STATUSES: readonly RevisionStatus[] = ${terminal}\n`
  )
}
