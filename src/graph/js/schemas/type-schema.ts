/**
 * TypeScript types as JSON Schema, for graphs that declare their values as types only. Types without a JSON form
 * (functions, symbols, big integers) are left out; those that are too deep or too large are open.
 */
import ts from 'typescript-api'
import type { JsonObject } from '../../../core/json.ts'
import { MESSAGE_DEFINITIONS, MESSAGE_REFERENCE, messageList } from './message-schema.ts'

/** Levels of objects, lists and unions; deeper ones are `{}`. */
const MAX_DEPTH = 16
/** Properties of one schema in all, about; further objects are `{}`. */
const MAX_PROPERTIES = 2_000

/** Makes schemas of the types of one program. */
export class TypeSchemas {
  readonly #checker: ts.TypeChecker
  /** Types that are being written. */
  readonly #open = new Set<ts.Type>()
  /** Recursive types, and the names of their definitions. */
  readonly #names = new Map<ts.Type, string>()
  #definitions: JsonObject = {}
  #properties = 0
  #hasMessages = false

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker
  }

  /** The schema of an object type; `undefined` when the type has no properties. */
  of(type: ts.Type): JsonObject | undefined {
    this.#definitions = {}
    this.#names.clear()
    this.#properties = 0
    this.#hasMessages = false
    if (this.#checker.getPropertiesOfType(type).length === 0) return undefined
    const schema = this.#write(type)
    const definitions = this.#allDefinitions()
    return Object.keys(definitions).length > 0 ? { ...schema, definitions } : schema
  }

  #allDefinitions(): JsonObject {
    return this.#hasMessages ? { ...this.#definitions, ...MESSAGE_DEFINITIONS } : this.#definitions
  }

  #write(type: ts.Type): JsonObject {
    const short = writePlain(type, this.#checker)
    if (short) return short
    if (isMessage(type)) return this.#writeMessages([type])
    const known = type.isUnion() ? undefined : WELL_KNOWN[type.symbol?.name ?? '']
    if (known) return known
    const isTooMuch = this.#open.size >= MAX_DEPTH || this.#properties > MAX_PROPERTIES
    return isTooMuch || isFunction(type) ? {} : this.#writeOnce(type)
  }

  /** A recursive type becomes a reference to its definition. */
  #writeOnce(type: ts.Type): JsonObject {
    if (this.#open.has(type) || this.#names.has(type)) return referenceTo(this.#nameOf(type))
    this.#open.add(type)
    const schema = this.#writeParts(type)
    this.#open.delete(type)
    const name = this.#names.get(type)
    if (name === undefined) return schema
    this.#definitions[name] = schema
    return referenceTo(name)
  }

  #nameOf(type: ts.Type): string {
    const known = this.#names.get(type)
    if (known !== undefined) return known
    const name = (type.aliasSymbol ?? type.symbol)?.name.replace(/\W/g, '_') || 'Type'
    const taken = new Set([...this.#names.values(), ...Object.keys(MESSAGE_DEFINITIONS)])
    let free = name
    for (let n = 2; taken.has(free); n += 1) free = `${name}${n}`
    this.#names.set(type, free)
    return free
  }

  #writeParts(type: ts.Type): JsonObject {
    if (type.isUnion()) return this.#writeUnion(type)
    if (this.#checker.isTupleType(type)) return this.#writeTuple(type as ts.TypeReference)
    if (this.#checker.isArrayType(type)) return this.#writeArray(type as ts.TypeReference)
    return this.#writeProperties(type)
  }

  #writeUnion(union: ts.UnionType): JsonObject {
    const members = union.types.filter((type) => !isAbsence(type) && !isOverwrite(type))
    if (members.some(isMessage)) return this.#writeMessages(members)
    const schemas = members.filter((type) => !isFunction(type)).map((type) => this.#write(type))
    return joinSchemas(schemas)
  }

  /**
   * Other forms of a message (its text, a pair), or of a list of one (the message itself), are left out: all clients
   * can send a message and a list.
   */
  #writeMessages(members: ts.Type[]): JsonObject {
    this.#hasMessages = true
    const hasList = members.some((type) => this.#checker.isArrayType(type))
    return hasList ? messageList() : MESSAGE_REFERENCE
  }

  #writeArray(type: ts.TypeReference): JsonObject {
    const [item] = this.#checker.getTypeArguments(type)
    if (!item) return { type: 'array' }
    const members = item.isUnion() ? item.types : [item]
    if (!members.some(isMessage)) return { type: 'array', items: this.#write(item) }
    this.#hasMessages = true
    return messageList()
  }

  #writeTuple(type: ts.TypeReference): JsonObject {
    const items = this.#checker.getTypeArguments(type).map((item) => this.#write(item))
    const { minLength, hasRestElement } = type.target as ts.TupleType
    return {
      type: 'array',
      items: joinSchemas(items),
      minItems: minLength,
      ...(!hasRestElement && { maxItems: items.length }),
    }
  }

  #writeProperties(type: ts.Type): JsonObject {
    const checker = this.#checker
    const symbols = checker.getPropertiesOfType(type).filter(isData)
    this.#properties += symbols.length
    const properties: JsonObject = {}
    const required: string[] = []
    for (const symbol of symbols) {
      const value = checker.getTypeOfSymbol(symbol)
      if (isFunction(value)) continue
      properties[symbol.name] = { ...this.#write(value), ...describe(symbol, checker) }
      if (!isOptional(symbol, value)) required.push(symbol.name)
    }
    const rest = checker.getIndexInfoOfType(type, ts.IndexKind.String)
    return {
      type: 'object',
      ...((symbols.length > 0 || !rest) && { properties }),
      ...(required.length > 0 && { required }),
      ...(rest && { additionalProperties: this.#write(rest.type) }),
    }
  }
}

/** Classes and interfaces that have a JSON form of their own, or none. */
const WELL_KNOWN: Record<string, JsonObject> = {
  Date: { type: 'string', format: 'date-time' },
  URL: { type: 'string', format: 'uri' },
  RegExp: {},
  Map: {},
  Set: {},
  WeakMap: {},
  Promise: {},
  Uint8Array: {},
  ArrayBuffer: {},
  Buffer: {},
  String: { type: 'string' },
  Number: { type: 'number' },
  Boolean: { type: 'boolean' },
  Object: {},
}

function writePlain(type: ts.Type, checker: ts.TypeChecker): JsonObject | undefined {
  const { flags } = type
  if (type.isStringLiteral() || type.isNumberLiteral()) return writeConstants([type.value])
  if (flags & ts.TypeFlags.BooleanLiteral) {
    return writeConstants([checker.typeToString(type) === 'true'])
  }
  if (flags & ts.TypeFlags.StringLike) return { type: 'string' }
  if (flags & ts.TypeFlags.NumberLike) return { type: 'number' }
  if (flags & ts.TypeFlags.BooleanLike) return { type: 'boolean' }
  if (flags & ts.TypeFlags.Null) return { type: 'null' }
  const isStructured = flags & (ts.TypeFlags.Object | ts.TypeFlags.UnionOrIntersection)
  return isStructured ? undefined : {}
}

/** One schema for several: literals become an `enum`, equal schemas are merged. */
function joinSchemas(schemas: JsonObject[]): JsonObject {
  const distinct = [...new Map(schemas.map((one) => [JSON.stringify(one), one])).values()]
  const constants = distinct.filter((one) => 'const' in one).map((one) => one.const as Constant)
  const others = distinct.filter((one) => !('const' in one))
  if (constants.length > 0) others.push(writeConstants(constants))
  const [only] = others
  return others.length === 1 && only ? only : others.length === 0 ? {} : { anyOf: others }
}

type Constant = string | number | boolean

/** One is a `const`, several an `enum` in order; with the type that they have in common, if any. */
function writeConstants(constants: Constant[]): JsonObject {
  const types = [...new Set(constants.map((one) => typeof one))]
  const type = types.length === 1 ? { type: String(types[0]) } : {}
  const [only, ...more] = constants
  if (only !== undefined && more.length === 0) return { ...type, const: only }
  const isBoolean = type.type === 'boolean'
  return isBoolean ? type : { ...type, enum: constants.toSorted(compareConstants) }
}

function compareConstants(one: Constant, other: Constant): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return String(one) < String(other) ? -1 : 1
}

function referenceTo(name: string): JsonObject {
  return { $ref: `#/definitions/${name}` }
}

function describe(symbol: ts.Symbol, checker: ts.TypeChecker): JsonObject {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim()
  return text ? { description: text } : {}
}

/** Private names and symbols are no data. */
function isData(symbol: ts.Symbol): boolean {
  return !symbol.name.startsWith('__') && !symbol.name.startsWith('#')
}

function isOptional(symbol: ts.Symbol, type: ts.Type): boolean {
  if (symbol.flags & ts.SymbolFlags.Optional) return true
  const isOpen = (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0
  return isOpen || isAbsence(type) || (type.isUnion() && type.types.some(isAbsence))
}

function isAbsence(type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void | ts.TypeFlags.Never)) !== 0
}

/** LangGraph's request to replace a value, past the reducer. */
function isOverwrite(type: ts.Type): boolean {
  return (type.aliasSymbol ?? type.symbol)?.name === 'OverwriteValue'
}

function isMessage(type: ts.Type): boolean {
  if (!type.isClassOrInterface() && !(type.flags & ts.TypeFlags.Object)) return false
  return type.getProperty('lc_namespace') !== undefined && type.getProperty('content') !== undefined
}

function isFunction(type: ts.Type): boolean {
  return type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0
}
