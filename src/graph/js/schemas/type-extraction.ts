/** Finds a graph's types in its source, by the compiler's own analysis. Slow: for a worker thread. */
import { dirname } from 'node:path'
import ts from 'typescript-api'
import type { GraphSchemas } from '../../../core/agent/host/description.ts'
import { toSchemas } from './runtime.ts'
import { TypeSchemas } from './type-schema.ts'

export interface ExtractionRequest {
  /** The file that exports the graph; absolute. */
  file: string
  exportName: string
  /** Which subgraphs, by the way to them (`node` or `node|node`). */
  subgraphs: string[]
}

export interface ExtractedSchemas {
  graph: GraphSchemas
  /** Those that were found, by the way to them. */
  subgraphs: Record<string, GraphSchemas>
}

/** What the types say; what they do not say is missing. */
export function extractSchemas(request: ExtractionRequest): ExtractedSchemas {
  const program = programWith(request.file)
  const checker = program.getTypeChecker()
  const schemas = new TypeSchemas(checker)
  const root = findExport(program, checker, request)
  if (!root) return { graph: {}, subgraphs: {} }
  const subgraphs = request.subgraphs.flatMap((path): [string, GraphSchemas][] => {
    const found = path
      .split('|')
      .reduce<Found | undefined>((from, name) => from && findNode(checker, from, name), root)
    return found ? [[path, schemasOf(checker, schemas, found.type)]] : []
  })
  return {
    graph: schemasOf(checker, schemas, root.type),
    subgraphs: Object.fromEntries(subgraphs),
  }
}

/** A graph's type, and where it is written. */
interface Found {
  type: ts.Type
  declaration: ts.Node | undefined
}

/** What was analysed under one `tsconfig.json`: most of a project's graphs share nearly all of it. */
interface Analysis {
  program: ts.Program
  host: ts.CompilerHost
}

/** By the path of the `tsconfig.json`; empty where there is none. */
const analyses = new Map<string, Analysis>()

/** A program that has the file: the same for all graphs of one file, and no text is read twice. */
function programWith(file: string): ts.Program {
  const config = ts.findConfigFile(dirname(file), ts.sys.fileExists)
  const before = analyses.get(config ?? '')
  if (before?.program.getSourceFile(file)) return before.program
  const options = before?.program.getCompilerOptions() ?? optionsFor(file, config)
  const host = before?.host ?? rememberingHost(options)
  const roots = [...(before?.program.getRootFileNames() ?? []), file]
  const program = ts.createProgram(roots, options, host, before?.program)
  analyses.set(config ?? '', { program, host })
  return program
}

function rememberingHost(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options)
  const sources = new Map<string, ts.SourceFile | undefined>()
  return {
    ...host,
    getSourceFile(name, ...more) {
      if (!sources.has(name)) sources.set(name, host.getSourceFile(name, ...more))
      return sources.get(name)
    },
  }
}

/** The project's own options, but for what concerns output and what analysis needs. */
function optionsFor(file: string, path: string | undefined): ts.CompilerOptions {
  const json = path ? (ts.readConfigFile(path, ts.sys.readFile).config ?? {}) : {}
  const { compilerOptions, ...rest } = json
  const own = path
    ? // Without "files" it would look through the whole folder for sources.
      ts.parseJsonConfigFileContent(
        { ...rest, compilerOptions, files: [file], include: [] },
        ts.sys,
        dirname(path),
      ).options
    : {}
  return {
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
  { file, exportName }: ExtractionRequest,
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

/** How often a type is looked into: a factory's promise of an agent's graph. */
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

/** The graph that is the node `name`: what was added under it where the outer graph is written. */
function findNode(checker: ts.TypeChecker, outer: Found, name: string): Found | undefined {
  const { declaration } = outer
  if (!declaration) return undefined
  const places = [declaration, declaration.getSourceFile()]
  for (const place of places) {
    for (const expression of addedUnder(place, name)) {
      const type = graphType(checker, checker.getTypeAtLocation(expression))
      if (type) return { type, declaration: declarationOf(checker, expression) }
    }
  }
  return undefined
}

function declarationOf(checker: ts.TypeChecker, expression: ts.Expression): ts.Node | undefined {
  const symbol = checker.getSymbolAtLocation(expression)
  return symbol ? foundAt(checker, symbol)?.declaration : expression
}

/** The second argument of each `.addNode(name, …)`, and `name`'s value in each `.addNode({…})`. */
function addedUnder(place: ts.Node, name: string): ts.Expression[] {
  const found: ts.Expression[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isAddNode(node.expression)) {
      const expression = addedBy(node, name)
      if (expression) found.push(expression)
    }
    ts.forEachChild(node, visit)
  }
  visit(place)
  return found
}

function isAddNode(expression: ts.Expression): boolean {
  return ts.isPropertyAccessExpression(expression) && expression.name.text === 'addNode'
}

function addedBy(call: ts.CallExpression, name: string): ts.Expression | undefined {
  const [first, second] = call.arguments
  if (!first) return undefined
  if (ts.isStringLiteralLike(first)) return first.text === name ? second : undefined
  if (!ts.isObjectLiteralExpression(first)) return undefined
  const property = first.properties.find((one) => one.name?.getText() === name)
  return property && ts.isPropertyAssignment(property) ? property.initializer : undefined
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
