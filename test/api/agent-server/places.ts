/**
 * Where the agent server's API tests run. Every file runs on SQLite with one server, with `npm test`.
 * With `npm run test:slow` some run once more, for the reasons that stand here; `npm run chaos` runs all
 * of them everywhere. A new file needs no entry, unless one of these words fits it.
 */

/** Behind a proxy that gives each request to the next of three servers on one PostgreSQL. */
export const ON_THREE_SERVERS = {
  // Which server executes a run, in which order, and for whom.
  'custom-auth': 'queue',
  multitask: 'queue',
  runs: 'queue',
  // One server tells the one that executes: end this run, it is not wanted any more.
  assistants: 'notices',
  cancel: 'notices',
  'cancel-many': 'notices',
  'run-delete': 'notices',
  'run-stop': 'notices',
  'thread-changes': 'notices',
  // One server shows what another one executes.
  a2a: 'streams',
  interrupts: 'streams',
  mcp: 'streams',
  protocol: 'streams',
  'protocol-golden': 'streams',
  'protocol-socket': 'streams',
  'stateless-runs': 'streams',
  streams: 'streams',
  'streams-golden': 'streams',
  'streams-thread': 'streams',
  // What comes to several servers at once is done once, or one after the other.
  idempotency: 'locks',
  state: 'locks',
  'thread-factory': 'locks',
  // All servers look what is due, and one of them does it.
  'a2a-push': 'webhooks',
  'cron-firings': 'crons',
  'thread-ttl': 'sweeps',
  webhooks: 'webhooks',
}

/** With one server on PostgreSQL: the SQL is its own, and the conformance suites see a part of it only. */
export const ON_POSTGRES = {
  // Lists whose filters, order and pages are put together from what a client asks for.
  'assistant-search': 'search',
  crons: 'search',
  numbers: 'search',
  'run-search': 'search',
  'parked-threads': 'search',
  'thread-search': 'search',
  // What each database ranks in its own way.
  store: 'vectors',
  'store-in-graphs': 'vectors',
  // What a text or a page may hold.
  'bad-input': 'texts',
  limits: 'sizes',
  // Runs of a server that stops, is killed or is replaced: these start their servers by themselves.
  crash: 'leases',
  drain: 'leases',
  shutdown: 'leases',
  'two-versions': 'leases',
}

/** With a graph host as if it were in another process: see `test/support/hosts/wired-host.ts`. */
export const BEHIND_A_WIRE = {
  // What graphs tell while they run.
  protocol: 'emissions',
  'protocol-golden': 'emissions',
  'protocol-sdk': 'transformers',
  streams: 'emissions',
  'streams-golden': 'emissions',
  timeline: 'spans',
  // What they are run with, and how they end.
  'deaf-graph': 'signals',
  interrupts: 'commands',
  logs: 'errors',
  'run-command': 'commands',
  'run-options': 'configs',
  'run-stop': 'signals',
  // What is read of them and written.
  'assistant-graph': 'descriptions',
  history: 'states',
  'parked-threads': 'descriptions',
  state: 'states',
  'thread-factory': 'factories',
  // What they call back for.
  'remote-graph': 'requests',
  'run-circle': 'requests',
  'store-in-graphs': 'items',
  // What a project has beside its graphs.
  'custom-auth': 'auth',
  'custom-routes': 'routes',
  store: 'embeddings',
  'thread-authorization': 'auth',
}

/**
 * With graphs in Python: the projects of `test/fixtures/python`, behind their host. Which operations ask a
 * project's auth, and for what, is the server's own doing: of that only how it is asked is shown here.
 */
export const IN_PYTHON = {
  ...BEHIND_A_WIRE,
  // What else depends on the language, or on what its LangGraph does.
  a2a: 'messages',
  'auth-settings': 'auth',
  cancel: 'signals',
  crash: 'retries',
  'custom-auth': 'auth',
  limits: 'states',
  mcp: 'schemas',
  metrics: 'signals',
  numbers: 'values',
  'protocol-socket': 'emissions',
  'run-timeout': 'signals',
  drain: 'ends of runs',
  shutdown: 'signals',
  'streams-thread': 'emissions',
  'thread-changes': 'states',
  'thread-ttl': 'checkpoints',
  'two-versions': 'two hosts',
  'untrusted-values': 'checkpoints',
  ui: 'emissions',
}

/**
 * With graphs in Python on PostgreSQL: what the host writes comes back as it was. How runs are taken up again is shown
 * on PostgreSQL with graphs in JavaScript, and in Python on SQLite: the host knows of no database.
 */
export const IN_PYTHON_ON_POSTGRES = {
  history: 'checkpoints',
  numbers: 'values',
  state: 'checkpoints',
  'store-in-graphs': 'items',
}

/** With graphs in Python, each server with a host of its own: runs go from one to another. */
export const IN_PYTHON_ON_THREE_SERVERS = {
  cancel: 'notices',
  interrupts: 'queue',
  multitask: 'queue',
  'streams-golden': 'streams',
}

/** Only with graphs in JavaScript. */
export const OF_JAVASCRIPT = {
  'faulty-host': 'a host of its own',
  'scripted-host': 'a host of its own',
}

/** Only there, with servers that they start on PostgreSQL by themselves. */
export const OF_POSTGRES = {
  'cut-connections': 'its connections',
  pgbouncer: 'its pooler',
  'two-servers': 'two servers, each of which is asked for by name',
}
