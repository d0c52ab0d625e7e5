/** References to images, as `docker pull` takes them: `registry.example.com/team/agent:v1`. */

export interface ImageReference {
  /** Host and port, if any: `docker.io`, `registry.example.com:5000`. */
  registry: string
  /** `library/python`, `team/agent` */
  repository: string
  /** `null`: none was given, which means `latest`. */
  tag: string | null
  /** `sha256:…`; `null`: none was given. */
  digest: string | null
}

const DEFAULT_REGISTRY = 'docker.io'
const HOST = /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.|(?=:|$)))+(?::\d{1,5})?$/
const IPV6_HOST = /^\[[0-9a-fA-F:]{2,45}\](?::\d{1,5})?$/
/** One word between two slashes: words of letters and digits, joined by a dot, hyphens or underscores. */
const NAME = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*$/
const SEPARATORS = /\.\.|\._|_\.|\.-|-\.|_-|-_|___/
const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/
const DIGEST = /^sha256:[0-9a-f]{64}$/
const MAX_NAME_LENGTH = 255

/** `undefined`: no engine would accept it. Short names mean Docker Hub, as everywhere. */
export function parseImage(text: string): ImageReference | undefined {
  const [named = '', digest, ...more] = text.split('@')
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1)
  const name = colon === -1 ? named : named.slice(0, colon)
  const tag = colon === -1 ? null : named.slice(colon + 1)
  const { registry, repository } = split(name)
  const isGood =
    name.length <= MAX_NAME_LENGTH &&
    more.length === 0 &&
    (tag === null || TAG.test(tag)) &&
    (digest === undefined || DIGEST.test(digest)) &&
    (HOST.test(registry) || IPV6_HOST.test(registry)) &&
    repository.split('/').every((word) => NAME.test(word) && !SEPARATORS.test(word))
  return isGood ? { registry, repository, tag, digest: digest ?? null } : undefined
}

const LONGEST_SHOWN = 100

/** Why a text is no image, to follow the name of its field. */
export function notAnImage(text: string): string {
  const given = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
  const [scheme] = /^[a-z]+:\/\//i.exec(text) ?? []
  return (
    'must be an image such as registry.example.com/agent:v1 or registry.example.com/agent@sha256:<64 hexadecimal ' +
    `digits>, not ${JSON.stringify(given)}${scheme ? `: leave out ${scheme}` : ''}.`
  )
}

/** The image with exactly this content, as engines accept it. */
export function pinned({ registry, repository }: ImageReference, digest: string): string {
  return `${registry}/${repository}@${digest}`
}

/** Whether the image lies below `prefix`: `registry.example.com/team`. */
export function isBelow({ registry, repository }: ImageReference, prefix: string): boolean {
  return `${registry}/${repository}`.startsWith(`${prefix}/`)
}

function split(name: string): { registry: string; repository: string } {
  const slash = name.indexOf('/')
  const first = slash === -1 ? '' : name.slice(0, slash)
  const isNamed = /[.:]|[A-Z]/.test(first) || first === 'localhost'
  const rest = isNamed ? name.slice(slash + 1) : name
  const isHub = !isNamed || first === 'index.docker.io' || first === DEFAULT_REGISTRY
  if (!isHub) return { registry: first, repository: rest }
  return { registry: DEFAULT_REGISTRY, repository: rest.includes('/') ? rest : `library/${rest}` }
}

/** Why an image with ONBUILD instructions cannot be a base. */
export const HAS_TRIGGERS =
  'langgraph.json: "base_image": it has ONBUILD instructions, which would run unread: name one without.'
