/** Conditions on the value of an item, with the operators of LangGraph's `BaseStore`. */
import { equalsJson, orderedNumber } from '../../exact-json.ts'
import { isExactNumber, isObject, type JsonObject, type JsonValue } from '../../json.ts'

const ITEM_OPERATORS = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin'] as const
type Operator = (typeof ITEM_OPERATORS)[number]

/**
 * The conditions by key of the value, joined by AND. A condition is the value itself, an object of
 * operators, or an object without operators, whose keys are conditions again. A missing value equals
 * nothing, and is neither greater nor smaller than anything.
 */
export type ItemFilter = JsonObject

/** Why this is not a filter, as a sentence. `undefined`: it is one. */
export function filterProblem(filter: ItemFilter): string | undefined {
  for (const condition of Object.values(filter)) {
    if (!isObject(condition)) continue
    const keys = Object.keys(condition)
    const operators = keys.filter((key) => key.startsWith('$'))
    const unknown = operators.find((key) => !isOperator(key))
    if (unknown) return `There is no operator "${unknown}"; use ${ITEM_OPERATORS.join(', ')}.`
    if (operators.length > 0 && operators.length < keys.length) {
      return 'Operators and other keys cannot stand in one object.'
    }
    const list = (['$in', '$nin'] as const).find(
      (key) => Object.hasOwn(condition, key) && !Array.isArray(condition[key]),
    )
    if (list) return `"${list}" takes a list.`
    const inner = operators.length === 0 ? filterProblem(condition) : undefined
    if (inner) return inner
  }
  return undefined
}

export function matchesItemFilter(value: JsonObject, filter: ItemFilter): boolean {
  return Object.entries(filter).every(([key, condition]) =>
    holds(Object.hasOwn(value, key) ? value[key] : undefined, condition),
  )
}

/**
 * The conditions on one plain value, which a database can search itself. Leaves out keys that PostgreSQL cannot take.
 */
export function plainEqualities(filter: ItemFilter): [string, string | number | boolean][] {
  return Object.entries(filter).flatMap(([key, condition]) => {
    const isEq = isObject(condition) && Object.keys(condition).join() === '$eq'
    const wanted = isEq ? condition.$eq : condition
    const isPlain = PLAIN.includes(typeof wanted) || isExactNumber(wanted)
    return isPlain && !key.includes('\0') ? [[key, wanted as string | number | boolean]] : []
  })
}

const PLAIN = ['string', 'number', 'boolean']

function holds(value: JsonValue | undefined, condition: JsonValue): boolean {
  if (!isObject(condition)) return equalsJson(value, condition)
  const keys = Object.keys(condition)
  if (keys.length > 0 && keys.every(isOperator)) {
    return keys.every((key) => compare(value, key, condition[key] as JsonValue))
  }
  return isObject(value) && matchesItemFilter(value, condition)
}

function compare(value: JsonValue | undefined, operator: Operator, wanted: JsonValue): boolean {
  switch (operator) {
    case '$eq':
      return equalsJson(value, wanted)
    case '$ne':
      return !equalsJson(value, wanted)
    case '$in':
      return Array.isArray(wanted) && wanted.some((one) => equalsJson(value, one))
    case '$nin':
      return Array.isArray(wanted) && !wanted.some((one) => equalsJson(value, one))
    case '$gt':
      return order(value, wanted) > 0
    case '$gte':
      return order(value, wanted) >= 0
    case '$lt':
      return order(value, wanted) < 0
    case '$lte':
      return order(value, wanted) <= 0
  }
}

/**
 * Less than, equal to or greater than 0. Numbers, and texts that are numbers, compare as numbers; other
 * texts (a date) as texts. `NaN`: the values have no order.
 */
function order(value: JsonValue | undefined, wanted: JsonValue): number {
  const [a, b] = [orderedNumber(value), orderedNumber(wanted)]
  if (!Number.isNaN(a) && !Number.isNaN(b)) return compared(a, b)
  return typeof value === 'string' && typeof wanted === 'string' ? compared(value, wanted) : NaN
}

function compared<T extends string | number | bigint>(one: T, other: T): number {
  if (one < other) return -1
  return one > other ? 1 : 0
}

function isOperator(key: string): key is Operator {
  return (ITEM_OPERATORS as readonly string[]).includes(key)
}
