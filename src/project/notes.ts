/**
 * Settings of `langgraph.json` that Runyard handles differently or not at all, and unknown keys: most of them are
 * misspelt.
 */
import { distance } from 'fastest-levenshtein'
import { z } from 'zod'
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

interface UnknownKey {
  /** With the keys above it, joined by points. */
  path: string
  /** The known key beside it that looks most like it, with those above; `undefined`: none does. */
  meant: string | undefined
}

/** Tools read it, and no server does. */
const SCHEMA_KEY = '$schema'

/**
 * Keys of `value` that `schema` lacks, wherever it describes an object. `noted`: further known keys, by the path of
 * their object.
 */
export function unknownKeys(
  schema: z.core.$ZodType,
  value: unknown,
  noted: (path: string) => readonly string[],
  at: readonly string[] = [],
): UnknownKey[] {
  const described = bare(schema)
  if (!isObject(value)) return []
  if (described instanceof z.ZodRecord) {
    const { valueType } = described.def
    return Object.entries(value).flatMap(([key, one]) =>
      unknownKeys(valueType, one, noted, [...at, key]),
    )
  }
  if (!(described instanceof z.ZodObject)) return []
  const { shape } = described
  const known = [...Object.keys(shape), ...noted(at.join('.')), SCHEMA_KEY]
  return Object.entries(value).flatMap(([key, one]) => {
    const path = [...at, key]
    if (key in shape) return unknownKeys(shape[key], one, noted, path)
    if (known.includes(key)) return []
    const meant = nearest(key, known)
    return [{ path: path.join('.'), meant: meant && [...at, meant].join('.') }]
  })
}

/** Without the wrappers for an absent value; of several forms, the one of an object. */
function bare(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return bare(schema.unwrap())
  }
  if (!(schema instanceof z.ZodUnion)) return schema
  return schema.options.map(bare).find((one) => one instanceof z.ZodObject) ?? schema
}

function nearest(key: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((one) => ({ one, apart: distance(key.toLowerCase(), one.toLowerCase()) }))
    .filter(({ one, apart }) => apart <= Math.max(2, one.length / 3) || isLonger(key, one))
    .toSorted((a, b) => a.apart - b.apart)
  return best?.one
}

/** Like `environment` and `env`. */
function isLonger(key: string, known: string): boolean {
  return key.startsWith(known) || known.startsWith(key)
}
