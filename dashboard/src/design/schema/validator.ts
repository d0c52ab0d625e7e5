/** Validates against a JSON Schema without compiling it, since the page's policy forbids `eval`. */
import { type OutputUnit, type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema'
import { type RJSFSchema, toErrorSchema, type ValidatorType } from '@rjsf/utils'

export interface Problem {
  /** The keys that lead to the value. */
  path: string[]
  says: string
}

/** The problems of the value; empty: none. An invalid schema reports no problems. */
export function problemsOf(schema: object, value: unknown): Problem[] {
  // JSON has no undefined: this removes emptied fields.
  const plain: unknown = value === undefined ? undefined : JSON.parse(JSON.stringify(value))
  try {
    const { errors } = new Validator(schema as Schema, draftOf(schema), false).validate(plain)
    return errors.filter(isLeaf).map((error) => ({ path: pathOf(error), says: sayingOf(error) }))
  } catch {
    return []
  }
}

/** For the forms of `@rjsf/core`. */
export const schemaValidator: ValidatorType = {
  validateFormData(formData, schema) {
    const errors = problemsOf(schema, formData).map(({ path, says }) => ({
      property: path.map((key) => `.${key}`).join(''),
      message: says,
      stack: says,
    }))
    return { errors, errorSchema: toErrorSchema(errors) }
  },
  isValid: (schema, formData, rootSchema) =>
    problemsOf(withDefinitions(schema, rootSchema), formData).length === 0,
  rawValidation: () => ({ errors: [] }),
}

function withDefinitions(schema: RJSFSchema, root: RJSFSchema): RJSFSchema {
  const { definitions, $defs } = root
  return { ...(definitions && { definitions }), ...($defs && { $defs }), ...schema }
}

function draftOf(schema: { $schema?: string }): SchemaDraft {
  return /draft-0[467]/.test(schema.$schema ?? '') ? '7' : '2020-12'
}

/** Errors that only say that there is another one further inside. */
const AROUND = new Set([
  'properties',
  'items',
  '$ref',
  'allOf',
  'additionalProperties',
  'prefixItems',
])

function isLeaf({ keyword }: OutputUnit): boolean {
  return !AROUND.has(keyword)
}

/** The validator reports a missing value at its object; the form shows it at the missing field. */
function pathOf({ instanceLocation, keyword, error }: OutputUnit): string[] {
  const keys = instanceLocation.split('/').slice(1).map(decode)
  const missing = keyword === 'required' ? /"(.+?)"/.exec(error)?.[1] : undefined
  return missing === undefined ? keys : [...keys, missing]
}

function decode(key: string): string {
  return decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')
}

function sayingOf({ keyword, error }: OutputUnit): string {
  if (keyword === 'required') return 'Is needed.'
  return error
}
