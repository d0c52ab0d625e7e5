/** The project's own embeddings, as `store.index.embed` names them. */
import type { Embed } from '../../../core/agent/host/calls.ts'
import { AppError } from '../../../core/errors.ts'
import { type PathScope, resolveInside } from '../../../project/path.ts'
import type { IndexConfig } from '../../../project/store.ts'
import { describeError, importFile, importFor } from '../modules/loader.ts'

/** LangChain's `Embeddings`, of whichever copy. */
interface Embeddings {
  embedDocuments(texts: string[]): Promise<number[][]>
}

/** LangChain's package and class for the embeddings of each provider. */
const PROVIDERS: Readonly<Record<string, readonly [packageName: string, className: string]>> = {
  openai: ['@langchain/openai', 'OpenAIEmbeddings'],
  azure_openai: ['@langchain/openai', 'AzureOpenAIEmbeddings'],
  bedrock: ['@langchain/aws', 'BedrockEmbeddings'],
  cohere: ['@langchain/cohere', 'CohereEmbeddings'],
  google_genai: ['@langchain/google-genai', 'GoogleGenerativeAIEmbeddings'],
  google_vertexai: ['@langchain/google-vertexai', 'VertexAIEmbeddings'],
  mistralai: ['@langchain/mistralai', 'MistralAIEmbeddings'],
  ollama: ['@langchain/ollama', 'OllamaEmbeddings'],
}

const FORM = '"./<file>:<export>", for example "./src/embed.ts:embed", or "<provider>:<model>"'

/**
 * Loads the embeddings. `file` is a loaded file of the project, from which a provider's package is resolved. Throws
 * `bad_request`, with a message that says what to write or to install.
 */
export async function loadEmbeddings(
  { file, ...scope }: PathScope & { file: string },
  { embed: spec, dims }: Pick<IndexConfig, 'embed' | 'dims'>,
): Promise<Embed> {
  const own = embeddingsModule(spec)
  const embed = own
    ? await loadExport(scope, spec, own.path, own.exportName)
    : await loadProvider(file, spec)
  return async (texts) => checkVectors(await callEmbed(embed, texts), texts.length, dims)
}

/** The project's own file and its export, if `store.index.embed` names one. */
export function embeddingsModule(spec: string): { path: string; exportName: string } | undefined {
  const [, path, exportName] = /^(.+\.[cm]?[jt]sx?):([^:/\\]+)$/.exec(spec) ?? []
  return path === undefined || exportName === undefined ? undefined : { path, exportName }
}

/** The package of the provider that `store.index.embed` names, if it is a known one. */
export function embeddingsPackage(spec: string): string | undefined {
  return findProvider(spec)?.packageName
}

async function loadExport(
  scope: PathScope,
  spec: string,
  path: string,
  exportName: string,
): Promise<Embed> {
  const file = await resolveInside(scope, path, 'store.index.embed')
  if (file === undefined) throw refuse(`there is no file "${path}"`)
  const exports = await importFile(file).catch((cause) => {
    throw refuse(`${path} could not be loaded: ${describeError(cause)}`, cause)
  })
  const embed = toEmbed(await exports[exportName])
  if (embed) return embed
  const expected = 'Export a function from texts to vectors, or LangChain’s Embeddings'
  throw refuse(`"${spec}" is neither. ${expected}`)
}

async function loadProvider(file: string, spec: string): Promise<Embed> {
  const found = findProvider(spec)
  if (!found) {
    const providers = Object.keys(PROVIDERS).join(', ')
    throw refuse(`"${spec}" is not known; write ${FORM} with one of ${providers}`)
  }
  const { packageName, className, model } = found
  const exports = (await importFor(file, packageName).catch((cause) => {
    const what = `"${spec}" needs the package ${packageName}, which the project cannot load`
    throw refuse(`${what}: add it to its dependencies`, cause)
  })) as Record<string, new (fields: { model: string }) => unknown>
  try {
    const embed = toEmbed(
      new (exports[className] as NonNullable<(typeof exports)[string]>)({ model }),
    )
    if (embed) return embed
  } catch (cause) {
    throw refuse(`"${spec}" cannot be used: ${describeError(cause)}`, cause)
  }
  throw refuse(`${packageName} has no ${className}`)
}

function toEmbed(value: unknown): Embed | undefined {
  if (isEmbeddings(value)) return (texts) => value.embedDocuments(texts)
  return typeof value === 'function' ? (value as Embed) : undefined
}

function findProvider(spec: string) {
  const at = spec.indexOf(':')
  const [provider, model] = [spec.slice(0, at).replaceAll('-', '_'), spec.slice(at + 1)]
  const found = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined
  if (at < 0 || !found || !model) return undefined
  return { packageName: found[0], className: found[1], model }
}

function isEmbeddings(value: unknown): value is Embeddings {
  return typeof (value as Embeddings | null | undefined)?.embedDocuments === 'function'
}

async function callEmbed(embed: Embed, texts: string[]): Promise<unknown> {
  try {
    return await embed(texts)
  } catch (cause) {
    throw new AppError('unavailable', `The project's embeddings failed: ${describeError(cause)}`, {
      cause,
    })
  }
}

function checkVectors(vectors: unknown, count: number, dims: number): number[][] {
  const list = Array.isArray(vectors) ? vectors.map(toNumbers) : []
  const what = "The project's embeddings (store.index.embed)"
  if (list.length !== count) {
    throw new AppError('bad_request', `${what} answered no list of ${count} vectors.`)
  }
  for (const vector of list) {
    if (vector.length !== dims) {
      const found = `a vector of ${vector.length} numbers, where store.index.dims says ${dims}`
      throw new AppError('bad_request', `${what} answered ${found}.`)
    }
    if (!vector.every(Number.isFinite)) {
      throw new AppError('bad_request', `${what} answered a vector that holds more than numbers.`)
    }
  }
  return list
}

/** Typed arrays are vectors too. */
function toNumbers(vector: unknown): number[] {
  return Array.isArray(vector) ? vector : Array.from((vector ?? []) as ArrayLike<number>)
}

function refuse(reason: string, cause?: unknown): AppError {
  return new AppError('bad_request', `langgraph.json: store.index.embed: ${reason}.`, { cause })
}
