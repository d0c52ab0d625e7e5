/** Server-side apply and merge patches, as far as Runyard uses them. */
import type { KubernetesObject } from './schema.ts'

interface ManagedField {
  manager: string
  operation: 'Apply' | 'Update'
  apiVersion: string
  time: string
  fieldsType: 'FieldsV1'
  fieldsV1: object
}

/** The fields that the manager applied before and applies no more are removed; lists are replaced. */
export function applied(
  before: KubernetesObject | undefined,
  patch: KubernetesObject,
  manager: string,
): KubernetesObject {
  const fields = (before?.metadata.managedFields ?? []) as ManagedField[]
  const own = fields.find((one) => one.manager === manager && one.operation === 'Apply')
  const rest = without(before ?? {}, (own?.fieldsV1 ?? {}) as Tree, patch)
  const merged = mergePatch(rest, patch) as KubernetesObject
  const entry: ManagedField = {
    ...{ manager, operation: 'Apply', apiVersion: patch.apiVersion },
    ...{ time: new Date().toISOString(), fieldsType: 'FieldsV1', fieldsV1: treeOf(patch) },
  }
  const others = fields.filter((one) => one !== own)
  return { ...merged, metadata: { ...merged.metadata, managedFields: [...others, entry] } }
}

/** RFC 7386. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else merged[key] = mergePatch(merged[key], value)
  }
  return merged
}

type Tree = { [field: string]: Tree }

function treeOf(value: unknown): Tree {
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [`f:${key}`, treeOf(inner)]),
  )
}

function without(target: object, tree: Tree, keep: object): object {
  const left: Record<string, unknown> = { ...target }
  for (const [field, inner] of Object.entries(tree)) {
    const key = field.slice(2)
    const [value, kept] = [left[key], (keep as Record<string, unknown>)[key]]
    if (kept === undefined) delete left[key]
    else if (isObject(value) && isObject(kept)) left[key] = without(value, inner, kept)
  }
  return left
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
