/** `langgraph.json`: a project's graphs and settings. */
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, parse } from 'node:path'
import { z } from 'zod'
import type { ProjectSettings } from '../core/agent/server/project-settings.ts'
import { AppError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import type { Environment } from '../settings/values.ts'
import { type AuthConfig, readAuthConfig } from './auth.ts'
import { EnvEntry, type ProjectEnv, readProjectEnv } from './env.ts'
import { readTextFile } from './files.ts'
import { type ProjectHttp, readHttpConfig } from './http.ts'
import {
  isJavascript,
  isPython,
  type JsModule,
  namesPython,
  type PythonModule,
  type ReadingConfig,
  resolveModule,
  SPEC_FORM,
} from './module-spec.ts'
import {
  imageNotesOf,
  keyNotesOf,
  notedKeys,
  notesOf,
  unknownKeys,
  variableNotesOf,
} from './notes.ts'
import { isMissing, type PathScope } from './path.ts'
import { PYTHON_ENTRIES, type PythonSettings, readPythonSettings } from './python/settings.ts'
import {
  firstIssue,
  readTtlConfig,
  readWebhookConfig,
  replaceSections,
  SECTIONS,
  type Sections,
} from './sections.ts'
import { type ProjectStore, readStoreConfig, resolveEmbed } from './store.ts'
import { readUiConfig, type UiConfig, UiConfigEntry, UiEntry } from './ui-bundle.ts'

/** Where one graph comes from. */
type GraphSpec = JsGraphSpec | PythonGraphSpec
export type JsGraphSpec = JsModule & NamedGraph
type PythonGraphSpec = PythonModule & NamedGraph

interface NamedGraph {
  graph_id: string
  description: string | null
  /** Of its system assistant; absent if the file gives none. */
  config?: JsonObject
  context?: JsonObject
}

/** A valid `langgraph.json`. Keys that Runyard does not know are in its `notes` alone. */
export interface ProjectConfig extends ProjectSettings, PathScope, ProjectEnv {
  /** Absolute path of the file. */
  path: string
  /** At least one, in the order of the file. */
  graphs: GraphSpec[]
  /** As written; `undefined` when absent. The builder checks the version. */
  node_version: string | undefined
  /** Absent where nothing of the project is in Python. */
  python?: PythonSettings
  store: ProjectStore
  /** The project's rules for who may use the server; absent: the server's own keys decide. */
  auth?: AuthConfig
  http: ProjectHttp
  /** Components that pages show. */
  ui: UiConfig
  /** The file's settings for its image, and the notes for a deployment without one; absent: none. */
  image?: { base_image?: string; dockerfile_lines: string[]; notes: string[] }
  /** A sentence for each setting that is ignored or not known. */
  notes: string[]
}

export interface BuildState {
  /**
   * Default: true. `false` before a build command has run: a graph's file need not be there yet;
   * its path must be one inside the source all the same.
   */
  isBuilt?: boolean
}

/** Where the file is read. */
interface ReadOptions extends BuildState {
  /**
   * The top of the source, which no path may leave; absolute. Default: the top of the file system, since a project on
   * its author's machine may name any path.
   */
  border?: string
  /** Values for `${NAME}` in an env file of Python's form. Default: none. */
  environment?: Environment
}

/**
 * Reads and checks the file and every path in it, without running any of the project's code.
 * Throws `bad_request`, with a message that names the file and says what to write instead.
 */
export async function readProjectConfig(
  configPath: string,
  { isBuilt = true, border, environment = {} }: ReadOptions = {},
): Promise<ProjectConfig> {
  const name = basename(configPath)
  const text = await readText(configPath)
  const file = readFile(text, name)
  const root = await realpath(dirname(configPath))
  const scope = { root, border: await realpath(border ?? parse(root).root) }
  const reading = { ...scope, name, isBuilt }
  const graphs: GraphSpec[] = []
  for (const [graph_id, entry] of Object.entries(file.graphs)) {
    graphs.push(await readGraph(reading, graph_id, entry))
  }
  const language = isWrittenInPython(graphs, file) ? 'python' : 'javascript'
  const rules = { language, environment } as const
  const { notes, ...env } = await readProjectEnv({ ...reading, ...rules }, file.env)
  const sections = replaceSections(file, { ...env.env, ...environment })
  const { auth, http, store, isPythonUsed } = await readModules(reading, graphs, sections)
  return {
    path: join(root, name),
    ...scope,
    graphs,
    ...env,
    node_version: file.node_version == null ? undefined : String(file.node_version),
    ttl: readTtlConfig(sections.checkpointer),
    webhooks: readWebhookConfig(sections.webhooks),
    ...(isPythonUsed && { python: await readPythonSettings(reading, file) }),
    store,
    ...(auth && { auth }),
    http,
    ui: await readUiConfig(reading, file.ui, file.ui_config),
    ...readImage(file, name),
    notes: [
      ...unknownNotesOf(file, name),
      ...notesOf(file, name),
      ...keyNotesOf(http, name),
      ...variableNotesOf(Object.keys(env.env)),
      ...notes,
    ],
  }
}

/**
 * Whether one of the file's modules is in Python, by their names: variables may replace them, so none need be there.
 */
function isWrittenInPython(graphs: readonly GraphSpec[], { auth, http, store }: Sections): boolean {
  const named = [auth?.path, http?.app].some((spec) => spec != null && namesPython(spec))
  return named || graphs.some(isPython) || readStoreConfig(store).index?.language === 'python'
}

/** The sections that name modules of the project, and whether one of all its modules is in Python. */
async function readModules(
  reading: ReadingConfig,
  graphs: readonly GraphSpec[],
  sections: Sections,
) {
  const auth = await readAuthConfig(reading, sections.auth)
  const http = await readHttpConfig(reading, sections.http)
  const language = graphs.some(isPython) ? 'python' : 'javascript'
  const store = await resolveEmbed(reading, readStoreConfig(sections.store, language))
  const specs = [...graphs, auth, http.app, store.index]
  const isPythonUsed = specs.some((spec) => spec !== undefined && isPython(spec))
  return { auth, http, store, isPythonUsed }
}

/** What a build needs to know before it installs anything; throws like `readProjectConfig`. */
export async function checkProjectConfig(configPath: string, state: ReadOptions = {}) {
  const config = await readProjectConfig(configPath, state)
  const { node_version, graphs, auth, http, store, ui, python, image, notes } = config
  const specs = [...graphs, auth, http.app, store.index]
  const hasJsModules = specs.some((spec) => spec !== undefined && isJavascript(spec))
  const needsNode = hasJsModules || ui.components.size > 0 || node_version !== undefined
  return {
    node_version,
    needsNode,
    hasJsModules,
    ...(python && { python }),
    pythonFiles: specs.flatMap((spec) => (spec && isPython(spec) && spec.file ? [spec.file] : [])),
    ...(image && { image }),
    notes,
  }
}

function readImage(file: z.infer<typeof ConfigFile>, name: string): Pick<ProjectConfig, 'image'> {
  const { base_image, dockerfile_lines } = file
  if (!base_image && !dockerfile_lines?.length) return {}
  const notes = imageNotesOf(file, name)
  const lines = { dockerfile_lines: dockerfile_lines ?? [], notes }
  return { image: { ...lines, ...(base_image && { base_image }) } }
}

const JsonObjectEntry = z.record(z.string(), z.json()).optional()

const GraphEntry = z.union(
  [
    z.string(),
    z.looseObject({
      path: z.string(),
      description: z.string().nullish(),
      config: JsonObjectEntry,
      context: JsonObjectEntry,
    }),
  ],
  `write ${SPEC_FORM}, or {"path": …, "description": …, "config": {…}, "context": {…}}`,
)

const GRAPHS_FORM = `write {"<name>": ${SPEC_FORM}}`

const ENCRYPTION =
  'it would not be called, and what it is to encrypt would be stored as it is; remove it'

const ConfigFile = z.looseObject(
  {
    graphs: z
      .record(z.string().min(1), GraphEntry, GRAPHS_FORM)
      .refine((graphs) => Object.keys(graphs).length > 0, `it is empty; ${GRAPHS_FORM}`),
    env: EnvEntry.nullish(),
    node_version: z.union([z.string(), z.number()], 'write a version such as "24"').nullish(),
    base_image: z.string('write the name of an image').nullish(),
    dockerfile_lines: z.array(z.string(), 'write a list of instructions').nullish(),
    ...PYTHON_ENTRIES,
    ...SECTIONS,
    ui: UiEntry.nullish(),
    ui_config: UiConfigEntry.nullish(),
    encryption: z.null(ENCRYPTION).optional(),
  },
  'write a JSON object with "graphs"',
)

async function readText(configPath: string): Promise<string> {
  try {
    return await readTextFile(configPath)
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    const reason = isMissing(cause)
      ? `There is no ${basename(configPath)} in ${dirname(configPath)}; add one with "graphs", or name another file.`
      : `${configPath} cannot be read: ${(cause as Error).message}`
    throw new AppError('bad_request', reason, { cause })
  }
}

function readFile(text: string, name: string): z.infer<typeof ConfigFile> {
  const value = parseJson(text, name)
  const result = ConfigFile.safeParse(value)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const place = issue?.path.map(String).join('.') ?? ''
  const misspelt = unknownKeys(ConfigFile, value, notedKeys).find(({ meant }) => meant === place)
  const hint = misspelt ? ` ("${misspelt.path}" is not a key: did you mean "${place}"?)` : ''
  throw new AppError('bad_request', `${name}: ${firstIssue(result.error)}${hint}.`)
}

function unknownNotesOf(file: z.infer<typeof ConfigFile>, name: string): string[] {
  return unknownKeys(ConfigFile, file, notedKeys).map(({ path, meant }) => {
    const hint = meant === undefined ? 'remove it.' : `did you mean "${meant}"?`
    return `${name}: "${path}" is not a key that Runyard knows, and nothing comes of it: ${hint}`
  })
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    const message = (cause as SyntaxError).message
    const where = /\(line \d+ column \d+\)/.test(message) ? '' : ` (${endOf(text)})`
    throw new AppError('bad_request', `${name} is not JSON: ${message}${where}.`, { cause })
  }
}

function endOf(text: string): string {
  const lines = text.split('\n')
  return `line ${lines.length} column ${(lines.at(-1)?.length ?? 0) + 1}`
}

async function readGraph(
  reading: ReadingConfig,
  graph_id: string,
  entry: z.infer<typeof GraphEntry>,
): Promise<GraphSpec> {
  const given: Exclude<typeof entry, string> = typeof entry === 'string' ? { path: entry } : entry
  const { path, description = null, config, context } = given
  const module = await resolveModule(reading, `graph "${graph_id}"`, path)
  return {
    graph_id,
    ...module,
    description,
    ...(config && { config }),
    ...(context && { context }),
  }
}
