/** The steps of a breadcrumb, from the address's path alone. */

/** The source of a step's name: fixed words, or a thing whose name is requested. */
export type Named =
  | { kind: 'words'; words: string }
  | { kind: 'id'; id: string }
  | { kind: 'deployment'; id: string }
  | { kind: 'revision'; id: string; deployment: string }
  | { kind: 'assistant'; id: string; deployment: string | undefined }

export interface Crumb {
  key: string
  name: Named
  /** The step's page; absent if it has none. */
  to?: string
}

const WORDS: Record<string, string> = {
  deployments: 'Deployments',
  revisions: 'Revisions',
  logs: 'Logs',
  threads: 'Threads',
  runs: 'Runs',
  settings: 'Settings',
  compare: 'Compare',
  studio: 'Studio',
  crons: 'Crons',
  webhooks: 'Webhooks',
  store: 'Store',
  connections: 'Connections',
  operations: 'Operations',
  keys: 'API keys',
  people: 'People',
  workspaces: 'Workspaces',
  listeners: 'Listeners',
  audit: 'Audit log',
  sessions: 'Sessions',
  encryption: 'Encryption key',
  new: 'New',
}

/** Parts of an address that have no page. */
const PAGELESS = new Set(['studio'])

/** `path`: within the app, as `/deployments/<id>/runs`. `start`: the name of the page at `/`. */
export function crumbsOf(path: string, start = 'Home'): Crumb[] {
  const segments = path.split('/').filter(Boolean).map(decodeURIComponent)
  if (segments.length === 0) return [{ key: '/', name: words(start) }]
  return segments.map((_, at) => {
    const to = `/${segments
      .slice(0, at + 1)
      .map(encodeURIComponent)
      .join('/')}`
    return { key: to, name: nameOf(segments, at), ...(!isPageless(segments, at) && { to }) }
  })
}

function nameOf(segments: string[], at: number): Named {
  const [segment = '', before] = [segments[at], segments[at - 1]]
  const deployment = segments[0] === 'deployments' ? (segments[1] ?? '') : undefined
  if (before === 'deployments' && segment !== 'new') return { kind: 'deployment', id: segment }
  if (before === 'revisions') return { kind: 'revision', id: segment, deployment: deployment ?? '' }
  if (before === 'studio') return { kind: 'assistant', id: segment, deployment }
  if (before === 'threads' || before === 'runs') return { kind: 'id', id: segment }
  return words(WORDS[segment] ?? segment)
}

/** A thread's runs have no page other than the thread's. */
function isPageless(segments: string[], at: number): boolean {
  return (
    PAGELESS.has(segments[at] ?? '') || (segments[at] === 'runs' && segments[at - 2] === 'threads')
  )
}

function words(text: string): Named {
  return { kind: 'words', words: text }
}
