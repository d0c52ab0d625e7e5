/**
 * Who may import whom, as data: first the floors (the folders and files of `src/`), then the rooms
 * within a floor. `architecture.test.ts` holds the code to it.
 */

/** By floor: which others it may import. `*`: all. */
export const FLOORS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  'child-process': [],
  storage: ['core'],
  queue: ['core'],
  stream: ['core'],
  project: ['core', 'settings'],
  graph: ['core', 'project'],
  build: ['core', 'child-process', 'project'],
  runtime: ['core', 'child-process'],
  sandbox: ['core'],
  gateway: ['core'],
  http: ['core'],
  telemetry: ['core'],
  webhook: ['core'],
  settings: ['core'],
  'agent-server': ['core', 'http', 'queue', 'stream', 'webhook'],
  'control-plane': ['core', 'http'],
  process: ['core'],
  managed: ['core'],
  'web-socket': ['core'],
  workers: ['core', 'child-process'],
  installation: ['core'],
  dev: ['core', 'project'],
  doctor: ['core'],
  cli: ['core', 'config.ts', 'settings', 'version.ts', 'client'],
  'config.ts': ['core', 'settings'],
  'version.ts': [],
  main: ['*'],
  'main.ts': ['*'],
}

/**
 * By floor and room: which other rooms of the floor it may import, as a whole (`threads`) or through one
 * of their files (`runs/cancel`). Of two rooms that import each other, one has to name the files. `.` is
 * what lies in the floor itself; all of its rooms may import that.
 */
export const ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  core: {
    '.': [],
    agent: ['agent/host/failure'],
    'agent/host': ['agent'],
    people: [],
    oauth: ['people'],
    deployment: ['agent', 'oauth', 'people', 'deployment/sources'],
    'deployment/sources': ['agent', 'deployment/artifact'],
    rollout: ['deployment'],
  },
  storage: {
    '.': ['db', 'db/postgres', 'db/sqlite'],
    db: [],
    'db/postgres': ['db'],
    'db/sqlite': ['db'],
    leases: ['db'],
    lists: ['db'],
    checkpoints: ['db', 'leases', 'lists'],
    events: ['db', 'leases', 'lists'],
    items: ['db'],
    migrations: ['db', 'db/postgres', 'db/sqlite'],
    'migrations/agent-server': ['migrations'],
    'migrations/control-plane': ['migrations'],
    agent: [
      ...['checkpoints', 'db', 'events', 'items', 'leases', 'migrations'],
      'migrations/agent-server',
    ],
    'control-plane': ['control-plane/oauth', 'db', 'migrations', 'migrations/control-plane'],
    'control-plane/oauth': ['db', 'control-plane/sealed-columns'],
  },
  stream: {
    '.': [],
    response: [],
  },
  graph: {
    js: [
      ...['js/auth', 'js/checkpoints', 'js/langgraph', 'js/modules', 'js/store'],
      ...['js/run/run', 'js/schemas/description', 'js/schemas/runtime'],
    ],
    'js/modules': [],
    'js/langgraph': ['js/modules'],
    'js/auth': ['js/modules'],
    'js/checkpoints': ['js/langgraph', 'js/modules'],
    'js/run': ['js/checkpoints', 'js/langgraph', 'js/project', 'js/project-graph'],
    'js/store': ['js/langgraph', 'js/modules'],
    'js/schemas': ['js/langgraph', 'js/modules', 'js/project-graph'],
    'js/bundle': ['js/langgraph', 'js/modules', 'js/schemas', 'js/store'],
  },
  build: {
    '.': ['javascript', 'sources'],
    javascript: [],
    sources: [],
  },
  'agent-server': {
    '.': ['access'],
    access: [],
    operations: [],
    assistants: ['access', 'operations', 'threads', 'runs/cancel'],
    threads: [
      ...['access', 'operations', 'webhooks'],
      ...['runs/cancel', 'runs/schemas', 'state/update'],
    ],
    state: ['access', 'operations', 'threads', 'runs/schemas'],
    runs: [
      ...['access', 'assistants', 'operations', 'threads'],
      ...['state/read', 'streams/run', 'webhooks/outbox'],
    ],
    streams: ['access', 'operations', 'runs', 'threads', 'execution/ordered-writes'],
    execution: ['runs', 'state', 'streams', 'protocol/protocol-projection'],
    protocol: [
      ...['access', 'assistants', 'operations', 'runs', 'state', 'streams', 'threads'],
      'execution/ordered-writes',
    ],
    crons: ['access', 'assistants', 'operations', 'runs', 'threads'],
    store: ['access', 'operations'],
    webhooks: ['access', 'operations', 'a2a/push', 'runs/wire'],
    a2a: ['access', 'assistants', 'operations', 'runs', 'threads'],
    mcp: ['access', 'assistants', 'operations', 'runs'],
    ui: ['access', 'operations'],
    server: ['*'],
  },
  'control-plane': {
    '.': ['oauth/vault', 'rollout/build-followers'],
    operations: [],
    people: ['operations'],
    oauth: ['oauth/providers/authorization-server', 'oauth/tokens/refresh'],
    'oauth/providers': [
      ...['oauth', 'operations', 'people', 'oauth/consent/consents', 'oauth/tokens/events'],
    ],
    'oauth/consent': ['oauth', 'oauth/providers', 'oauth/tokens', 'operations', 'people'],
    'oauth/tokens': ['oauth', 'oauth/providers', 'operations', 'people'],
    'oauth/connections': ['oauth', 'oauth/tokens', 'operations', 'people'],
    sources: ['operations', 'people', 'deployments/access', 'deployments/schemas'],
    deployments: [
      ...['operations', 'people', 'sources', 'rollout/failure'],
      ...['revisions/schemas', 'revisions/verbs'],
    ],
    revisions: ['deployments', 'operations', 'people', 'sources'],
    rollout: ['revisions'],
    leadership: ['rollout'],
    pushes: ['deployments', 'operations', 'people'],
    logs: ['deployments', 'operations', 'revisions', 'rollout/failure'],
    integrations: ['deployments', 'operations', 'people'],
    server: ['*'],
  },
}
