import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript-api'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { TypeSchemas } from './type-schema.ts'

const SOURCE = `
type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
interface Tree { value: string; left?: Tree; right?: Tree }
enum Level { Low = 'low', High = 'high' }
class Point { constructor(public x: number, public y: number) {} length() { return 0 } }
type Nested<T> = { in: T }
export interface Examples {
  text: string
  number: number
  truth: boolean
  literal: 'only'
  choice: 'a' | 'b' | 3
  level: Level
  sizes: 10 | 2 | 1
  mixed: string | boolean | 1
  optional?: string
  maybe: string | undefined
  nullable: string | null
  list: readonly string[]
  lists: number[][]
  pair: [string, number?]
  many: [string, ...number[]]
  map: Record<string, number>
  partial: Partial<{ a: string; b: number }>
  both: { a: string } & { b: number }
  anything: any
  unknown: unknown
  json: Json
  tree: Tree
  trees: Tree[]
  point: Point
  date: Date
  bytes: Uint8Array
  big: bigint
  template: \`id-\${string}\`
  /** Says what it is. */
  described: string
  method(): void
  callback: (a: string) => void
  nothing: undefined
}
export interface Deep { a: Nested<Nested<Nested<Nested<Nested<Nested<Nested<Nested<Nested<
  Nested<Nested<Nested<Nested<Nested<Nested<Nested<Nested<Nested<string>>>>>>>>>>>>>>>>>> }
export interface Empty {}
`

const folder = temporaryFolder()
let checker: ts.TypeChecker
let exported: ts.Symbol[]

beforeAll(async () => {
  const file = join(folder, 'types.ts')
  await writeFile(file, SOURCE)
  const program = ts.createProgram([file], {
    strict: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
  })
  checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  exported = module ? checker.getExportsOfModule(module) : []
}, 60_000)

function schemaOf(name: string) {
  const symbol = exported.find((one) => one.name === name)
  if (!symbol) throw new Error(`No type "${name}".`)
  return new TypeSchemas(checker).of(checker.getDeclaredTypeOfSymbol(symbol))
}

test('types become what JSON can hold of them', () => {
  const schema = schemaOf('Examples')
  const tree = { $ref: '#/definitions/Tree' }
  const json = { $ref: '#/definitions/Json' }
  expect(schema?.properties).toEqual({
    text: { type: 'string' },
    number: { type: 'number' },
    truth: { type: 'boolean' },
    literal: { type: 'string', const: 'only' },
    choice: { enum: [3, 'a', 'b'] },
    level: { type: 'string', enum: ['high', 'low'] },
    sizes: { type: 'number', enum: [1, 2, 10] },
    mixed: { anyOf: [{ type: 'string' }, { enum: [1, false, true] }] },
    optional: { type: 'string' },
    maybe: { type: 'string' },
    nullable: { anyOf: [{ type: 'null' }, { type: 'string' }] },
    list: { type: 'array', items: { type: 'string' } },
    lists: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
    pair: {
      type: 'array',
      items: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      minItems: 1,
      maxItems: 2,
    },
    many: {
      type: 'array',
      items: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      minItems: 1,
    },
    map: { type: 'object', additionalProperties: { type: 'number' } },
    partial: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } } },
    both: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
    anything: {},
    unknown: {},
    json,
    tree,
    trees: { type: 'array', items: tree },
    point: {
      type: 'object',
      properties: { x: { type: 'number' }, y: { type: 'number' } },
      required: ['x', 'y'],
    },
    date: { type: 'string', format: 'date-time' },
    bytes: {},
    big: {},
    template: { type: 'string' },
    described: { type: 'string', description: 'Says what it is.' },
    nothing: {},
  })
  expect(schema?.definitions).toEqual({
    Json: {
      anyOf: [
        { type: 'null' },
        { type: 'string' },
        { type: 'number' },
        { type: 'array', items: json },
        { type: 'object', additionalProperties: json },
        { type: 'boolean' },
      ],
    },
    Tree: {
      type: 'object',
      properties: { value: { type: 'string' }, left: tree, right: tree },
      required: ['value'],
    },
  })
})

test('what may be missing is not required', () => {
  const required = schemaOf('Examples')?.required as string[]
  const missing = ['optional', 'maybe', 'anything', 'unknown', 'nothing', 'method', 'callback']
  expect(required).toEqual(expect.arrayContaining(['text', 'nullable', 'tree', 'described']))
  expect(required.filter((name) => missing.includes(name))).toEqual([])
})

test('what is too deep is left open', () => {
  const text = JSON.stringify(schemaOf('Deep'))
  expect(text).toContain('"in":{}')
  expect(text).not.toContain('string')
})

test('a type without properties tells nothing', () => {
  expect(schemaOf('Empty')).toBeUndefined()
})
