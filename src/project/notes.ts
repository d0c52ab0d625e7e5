/** What a `langgraph.json` may say that Runyard does otherwise, or not at all. */
import { isObject } from '../core/json.ts'

const OF_IMAGES = 'it is about an image, and deployments run without one'

/** By key of the file: what becomes of it where no image is made, as the rest of a sentence. */
const NOTES_OF_IMAGES: Readonly<Record<string, string>> = {
  dockerfile_lines: `${OF_IMAGES}; install what it installs on this machine`,
  base_image: OF_IMAGES,
}

/** The same of keys that nothing comes of anywhere. */
const NOTES: Readonly<Record<string, string>> = {
  image_distro: "Runyard's own image is Debian, and every other one is named by its base_image",
  keep_pkg_tools: 'no image is thinned out',
  _INTERNAL_docker_tag: 'the server is Runyard',
  api_version: 'the server is Runyard, of whatever version this one has',
  priority: 'runs are taken in the order in which they came',
}

/** The same of what stands below a key. */
const NOTES_BELOW: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  auth: {
    cache: "the project's auth is asked about each request",
    openapi: "the server's description names the keys of the server alone",
  },
  checkpointer: {
    path: 'checkpoints are kept by the server',
    serde: 'values are stored and read as LangGraph does by itself',
  },
  http: { logging_headers: 'headers are not logged' },
}

/** A sentence for each that an image would have. */
export function imageNotesOf(file: Readonly<Record<string, unknown>>, name: string): string[] {
  return notesIn(file, NOTES_OF_IMAGES).map((note) => `${name}: ${note}`)
}

/** A sentence for each of the others that is in the file. */
export function notesOf(file: Readonly<Record<string, unknown>>, name: string): string[] {
  const below = Object.entries(NOTES_BELOW).flatMap(([key, notes]) => {
    const section = file[key]
    return isObject(section) ? notesIn(section, notes, `${key}.`) : []
  })
  return [...notesIn(file, NOTES), ...below].map((note) => `${name}: ${note}`)
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
