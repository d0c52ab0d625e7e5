/** Finds a graph's types in its source, by the compiler's own analysis. Slow: for a worker thread. */
import { dirname, resolve } from 'node:path'
import ts from 'typescript-api'
import type { GraphSchemas } from '../../../core/agent/host/description.ts'
import { findTsconfig } from '../../../project/tsconfig.ts'
import { type ExtractedSchemas, type GraphPlace, keyOf } from './kept.ts'
import { toSchemas } from './runtime.ts'
import { TypeSchemas } from './type-schema.ts'

interface Extraction {
  /** By `keyOf`. Schemas that the types do not give are missing. */
  graphs: Record<string, ExtractedSchemas>
  /** Every file that the result depends on; absolute. */
  files: Set<string>
}

/** Reads the types of these graphs, with one program for all that have the same `tsconfig.json`. */
export function extractSchemas(graphs: GraphPlace[]): Extraction {
  const files = new Set<string>()
  const system = noting(files)
  const configOf = ({ file }: GraphPlace) => findTsconfig(dirname(file))
  const found: Extraction['graphs'] = {}
  for (const [config, group] of Map.groupBy(graphs, configOf)) {
    const roots = [...new Set(group.map(({ file }) => file))]
    const program = programOf(roots, config, system)
    for (const source of program.getSourceFiles()) files.add(source.fileName)
    const checker = program.getTypeChecker()
    const schemas = new TypeSchemas(checker)
    const read = ({ type }: Found) => schemasOf(checker, schemas, type)
    for (const graph of group) {
      const root = findExport(program, checker, graph)
      const inner = root ? [...subgraphsOf(checker, root)] : []
      found[keyOf(graph)] = {
        graph: root ? read(root) : {},
        subgraphs: Object.fromEntries(inner.map(([path, one]) => [path, read(one)])),
      }
    }
  }
  return { graphs: found, files }
}

/** The compiler's way to the file system, with every file that it reads added to `files`. */
function noting(files: Set<string>): ts.System {
  return {
    ...ts.sys,
    readFile(path, encoding) {
      files.add(resolve(path))
      return ts.sys.readFile(path, encoding)
    },
  }
}

/** A graph's type and its declaration. */
interface Found {
  type: ts.Type
  declaration: ts.Node | undefined
}

function programOf(roots: string[], config: string | undefined, system: ts.System): ts.Program {
  const options = optionsFor(roots, config, system)
  const host = { ...ts.createCompilerHost(options), readFile: system.readFile }
  return ts.createProgram(roots, options, host)
}

/** The project's own options, except those of output and those that the analysis needs. */
function optionsFor(
  files: string[],
  path: string | undefined,
  system: ts.System,
): ts.CompilerOptions {
  const json = path ? (ts.readConfigFile(path, system.readFile).config ?? {}) : {}
  const { compilerOptions, ...rest } = json
  const own = path
    ? // Without "files" it would look through the whole folder for sources.
      ts.parseJsonConfigFileContent(
        { ...rest, compilerOptions, files, include: [] },
        system,
        dirname(path),
      ).options
    : {}
  return {
    // Otherwise half of all the text would be a browser's DOM and packages that no file imports.
    lib: ['lib.esnext.d.ts'],
    types: [],
    ...own,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.Preserve,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    allowJs: true,
    strictNullChecks: true,
    skipLibCheck: true,
    noEmit: true,
    composite: false,
    incremental: false,
  }
}

function findExport(
  program: ts.Program,
  checker: ts.TypeChecker,
  { file, exportName }: GraphPlace,
): Found | undefined {
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  const symbols = module ? checker.getExportsOfModule(module) : []
  const symbol = symbols.find(({ name }) => name === exportName)
  return symbol && foundAt(checker, symbol)
}

function foundAt(checker: ts.TypeChecker, symbol: ts.Symbol): Found | undefined {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const type = graphType(checker, checker.getTypeOfSymbol(target))
  return type && { type, declaration: target.valueDeclaration ?? target.declarations?.[0] }
}

/** How many layers of a type are unwrapped: a factory's promise of an agent's graph. */
const MAX_WRAPPINGS = 5

/** The compiled graph's type in that of a factory, a promise, a builder, an agent. */
function graphType(checker: ts.TypeChecker, type: ts.Type): ts.Type | undefined {
  let current: ts.Type | undefined = type
  for (let i = 0; current && i < MAX_WRAPPINGS; i += 1) {
    if (current.getProperty('~InputType')) return current
    current = unwrap(checker, current)
  }
  return undefined
}

function unwrap(checker: ts.TypeChecker, type: ts.Type): ts.Type | undefined {
  const [signature] = type.getCallSignatures()
  if (signature) return signature.getReturnType()
  if (type.getProperty('then')) return checker.getAwaitedType(type)
  const graph = type.getProperty('graph')
  if (graph) return checker.getTypeOfSymbol(graph)
  const compile = type.getProperty('compile')
  const [compiling] = compile ? checker.getTypeOfSymbol(compile).getCallSignatures() : []
  return compiling?.getReturnType()
}

/** In a file with many graphs, each may seem to contain every other one: nearer ones come first. */
const MAX_SUBGRAPHS = 100

/** The graphs that are nodes of it, and nodes of these, by path. */
function subgraphsOf(checker: ts.TypeChecker, root: Found): Map<string, Found> {
  const found = new Map<string, Found>()
  const waiting = [{ way: '', outer: root, around: [root.declaration] }]
  for (const { way, outer, around } of waiting) {
    for (const [name, inner] of nodesOf(checker, outer)) {
      if (around.includes(inner.declaration) || found.size >= MAX_SUBGRAPHS) continue
      const path = way === '' ? name : `${way}|${name}`
      found.set(path, inner)
      waiting.push({ way: path, outer: inner, around: [...around, inner.declaration] })
    }
  }
  return found
}

/** The graphs that are added where the outer one is written: in its declaration, or else in the file of that. */
function nodesOf(checker: ts.TypeChecker, { declaration }: Found): Map<string, Found> {
  const found = new Map<string, Found>()
  for (const place of declaration ? [declaration, declaration.getSourceFile()] : []) {
    for (const [name, expression] of addedIn(place)) {
      if (found.has(name)) continue
      const type = graphType(checker, checker.getTypeAtLocation(expression))
      if (type) found.set(name, { type, declaration: declarationOf(checker, expression) })
    }
  }
  return found
}

function declarationOf(checker: ts.TypeChecker, expression: ts.Expression): ts.Node | undefined {
  const symbol = checker.getSymbolAtLocation(expression)
  return symbol ? foundAt(checker, symbol)?.declaration : expression
}

/** The name and the second argument of each `.addNode(name, …)`, and each property of each `.addNode({…})`. */
function addedIn(place: ts.Node): [string, ts.Expression][] {
  const found: [string, ts.Expression][] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isAddNode(node.expression)) found.push(...addedBy(node))
    ts.forEachChild(node, visit)
  }
  visit(place)
  return found
}

function isAddNode(expression: ts.Expression): boolean {
  return ts.isPropertyAccessExpression(expression) && expression.name.text === 'addNode'
}

function addedBy({ arguments: [first, second] }: ts.CallExpression): [string, ts.Expression][] {
  if (!first) return []
  if (ts.isStringLiteralLike(first)) return second ? [[first.text, second]] : []
  if (!ts.isObjectLiteralExpression(first)) return []
  return first.properties.flatMap((one): [string, ts.Expression][] =>
    ts.isPropertyAssignment(one) && !ts.isComputedPropertyName(one.name)
      ? [[one.name.text, one.initializer]]
      : [],
  )
}

function schemasOf(checker: ts.TypeChecker, schemas: TypeSchemas, graph: ts.Type): GraphSchemas {
  const typeOf = (owner: ts.Type, property: string) => {
    const symbol = owner.getProperty(property)
    return symbol && checker.getTypeOfSymbol(symbol)
  }
  const input = typeOf(graph, '~InputType')
  const output = typeOf(graph, '~OutputType')
  const state = stateType(checker, typeOf(graph, 'builder')) ?? output
  const context = contextType(checker, typeOf(graph, 'invoke'))
  return toSchemas({
    state: state && schemas.of(state),
    input: input && schemas.of(input),
    output: output && schemas.of(output),
    context: context && schemas.of(context),
  })
}

/** `StateGraph<Definition, State, …>` */
function stateType(checker: ts.TypeChecker, builder: ts.Type | undefined): ts.Type | undefined {
  if (builder?.symbol?.name !== 'StateGraph') return undefined
  return checker.getTypeArguments(builder as ts.TypeReference)[1]
}

/** `invoke(input, options?: {context?: Context})` */
function contextType(checker: ts.TypeChecker, invoke: ts.Type | undefined): ts.Type | undefined {
  const options = invoke?.getCallSignatures()[0]?.parameters[1]
  const symbol = options && checker.getTypeOfSymbol(options)
  const context = symbol && checker.getNonNullableType(symbol).getProperty('context')
  return context && checker.getNonNullableType(checker.getTypeOfSymbol(context))
}
