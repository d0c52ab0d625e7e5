/** Whether an object is one that Kubernetes knows: against the published OpenAPI, unknown fields refused. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'

interface Schema {
  $ref?: string
  type?: string
  format?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: Schema | boolean
  allOf?: Schema[]
  oneOf?: Schema[]
  'x-kubernetes-list-type'?: string
  'x-kubernetes-list-map-keys'?: string[]
}

interface Published {
  kinds: Record<string, string>
  schemas: Record<string, Schema>
}

const path = join(import.meta.dirname, '../../fixtures/kubernetes/openapi.json')
const published = JSON.parse(readFileSync(path, 'utf8')) as Published
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema({ $id: 'k8s', components: { schemas: closedAll() } })
const validators = new Map<string, ValidateFunction>()

export interface KubernetesObject {
  apiVersion: string
  kind: string
  metadata: Metadata
  spec?: Record<string, unknown>
  status?: Record<string, unknown>
  data?: Record<string, string>
  [member: string]: unknown
}

interface Metadata {
  name: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  ownerReferences?: { uid: string; kind: string; name: string; controller?: boolean }[]
  managedFields?: unknown[]
}

/** Sentences about what is wrong; none: it is well-formed. */
export function schemaProblems(object: Pick<KubernetesObject, 'apiVersion' | 'kind'>): string[] {
  const name = published.kinds[`${object.apiVersion}/${object.kind}`]
  if (!name) return [`no kind "${object.kind}" is registered for version "${object.apiVersion}"`]
  const validate = validators.get(name) ?? ajv.compile({ $ref: `k8s#/components/schemas/${name}` })
  validators.set(name, validate)
  return validate(object) ? [] : (validate.errors ?? []).map(describe)
}

/** The list's map keys at a way into an object's schema, for server-side apply; `undefined`: atomic or none. */
export function listKeysOf(schemaName: string, field: string): string[] | undefined {
  const schema = published.schemas[schemaName]?.properties?.[field]
  return schema?.['x-kubernetes-list-map-keys']
}

function describe({ instancePath, message, params }: ErrorObject): string {
  const unknown = (params as { additionalProperty?: string }).additionalProperty
  return unknown === undefined
    ? `${instancePath || '/'} ${message}`
    : `unknown field "${`${instancePath}/${unknown}`.slice(1).replaceAll('/', '.')}"`
}

function closedAll(): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(published.schemas).map(([name, schema]) => [name, closed(name, schema)]),
  )
}

/** The same, and nothing beside its properties; quantities and such are strings or numbers. */
function closed(name: string, schema: Schema): unknown {
  if (/\.(Quantity|IntOrString)$/.test(name)) return { type: ['string', 'number'] }
  const text = JSON.stringify(schema, (_key, value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    if (value.properties && typeof value.properties === 'object' && value.type === 'object') {
      return { ...value, additionalProperties: value.additionalProperties ?? false }
    }
    return value
  })
  return JSON.parse(text.replaceAll('"#/components/', '"k8s#/components/'))
}
