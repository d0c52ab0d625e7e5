/** Settings of `langgraph.json` that Runyard handles differently, or not at all. */
import { isObject } from '../core/json.ts'

const OF_IMAGES = 'it is about an image, and deployments run without one'

/** By key of the file: why it has no effect without an image, as the rest of a sentence. */
const NOTES_OF_IMAGES: Readonly<Record<string, string>> = {
  dockerfile_lines: `${OF_IMAGES}; install what it installs on this machine`,
  base_image: OF_IMAGES,
}

/** The same for keys that never have an effect. */
const NOTES: Readonly<Record<string, string>> = {
  image_distro: "Runyard's own image is Debian, and every other one is named by its base_image",
  keep_pkg_tools: 'no image is thinned out',
  _INTERNAL_docker_tag: 'the server is Runyard',
  api_version: 'the server is Runyard, of whatever version this one has',
  priority: 'runs are taken in the order in which they came',
  docker_compose_file: 'Runyard starts no other services',
  node_loader: 'Runyard loads TypeScript itself',
}

/** The same for keys below another key. */
const NOTES_BELOW: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  auth: {
    allow_langsmith_api_keys: 'no key of LangSmith is accepted',
  },
  checkpointer: {
    backend: 'checkpoints are kept in the database of the server',
    path: 'checkpoints are kept by the server',
    serde: 'values are stored and read as LangGraph does by itself',
  },
  store: { path: 'items are kept by the server' },
}

/** The same for variables that the official server reads. */
const NOTES_OF_VARIABLES: Readonly<Record<string, string>> = {
  POSTGRES_URI_CUSTOM: 'RUNYARD_DATABASE_URL names the database, for the whole of Runyard',
  REDIS_URI_CUSTOM: 'Runyard needs no Redis',
  LANGGRAPH_AES_KEY: 'checkpoints are not encrypted',
}

/** A sentence for each key that only an image uses. */
export function imageNotesOf(file: Readonly<Record<string, unknown>>, name: string): string[] {
  return notesIn(file, NOTES_OF_IMAGES).map((note) => `${name}: ${note}`)
}

/** A sentence for each of the variables that has no effect. */
export function variableNotesOf(names: readonly string[]): string[] {
  return Object.entries(NOTES_OF_VARIABLES).flatMap(([name, note]) =>
    names.includes(name) ? [`The variable ${name} is not used: ${note}.`] : [],
  )
}

/** The keys that notes are about, of the object at a path: '' is the file. */
export function notedKeys(path: string): string[] {
  return Object.keys(path === '' ? { ...NOTES, ...NOTES_OF_IMAGES } : (NOTES_BELOW[path] ?? {}))
}

/** A sentence for each of the other keys that is in the file. */
export function notesOf(file: Readonly<Record<string, unknown>>, name: string): string[] {
  const below = Object.entries(NOTES_BELOW).flatMap(([key, notes]) => {
    const section = file[key]
    return isObject(section) ? notesIn(section, notes, `${key}.`) : []
  })
  return [...notesIn(file, NOTES), ...below].map((note) => `${name}: ${note}`)
}

/** A sentence for a project that receives the API keys of its callers. */
export function keyNotesOf(
  { forwardsApiKey }: { forwardsApiKey: boolean },
  name: string,
): string[] {
  if (!forwardsApiKey) return []
  return [
    `${name}: "http" asks for the API keys of its callers: this project can act as each of them.`,
  ]
}

function notesIn(
  section: Readonly<Record<string, unknown>>,
  notes: Readonly<Record<string, string>>,
  prefix = '',
): string[] {
  return Object.entries(notes).flatMap(([key, note]) =>
    isEmpty(section[key]) ? [] : [`"${prefix}${key}" is not used: ${note}.`],
  )
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0)
}
