/** Generates the client's types from the control plane's OpenAPI document. */
import openapiTypes, { astToString } from 'openapi-typescript'
import ts from 'typescript'

const HEADER = `/** Generated from openapi/control-plane.json by "npm run generate": do not edit. */

`

/** The part of the document that is read here. */
interface Document {
  components: { schemas: { RevisionStatus: { 'x-terminal': string[] } } }
}

/** Answers the text of `src/control-plane.gen.ts`: a type for each path, operation and schema. */
export async function clientTypes(document: string): Promise<string> {
  const types = await openapiTypes(document, {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    transform: ({ format }) =>
      format === 'binary' ? ts.factory.createTypeReferenceNode('Blob') : undefined,
  })
  return `${HEADER}${astToString(types)}\n${terminalStatuses(JSON.parse(document))}`
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
