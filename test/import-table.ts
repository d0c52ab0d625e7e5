/**
 * Who may import whom, as data: first the floors (the folders and files of `src/`), then the rooms
 * within a floor. `architecture.test.ts` holds the code to it.
 */

/** By floor: which others it may import. `*`: all. */
export const FLOORS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  artifacts: ['core'],
  storage: ['core'],
  queue: ['core'],
  stream: ['core'],
  project: ['core', 'settings'],
  graph: ['core', 'process', 'project'],
  build: ['core', 'artifacts', 'process', 'project'],
  link: ['core'],
  runtime: ['core', 'process', 'link'],
  gateway: ['core', 'http'],
  http: ['core'],
  telemetry: ['core'],
  webhook: ['core'],
  settings: ['core'],
  'agent-server': ['core', 'http', 'queue', 'stream', 'webhook'],
  'control-plane': ['core', 'http'],
  process: ['core'],
  listener: ['core', 'runtime'],
  cli: ['core', 'project', 'settings', 'version.ts', 'client'],
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
    figures: [],
    agent: [
      'people',
      ...['agent/host/failure', 'agent/items/item', 'agent/server/server'],
      'agent/timeline/timeline',
    ],
    'agent/host': ['agent', 'agent/items', 'agent/timeline'],
    'agent/items': ['agent'],
    'agent/server': ['agent', 'network'],
    'agent/timeline': [],
    people: [],
    oauth: ['people'],
    deployment: [
      ...['agent', 'figures', 'network', 'oauth', 'people'],
      ...['deployment/artifacts', 'deployment/images', 'deployment/sources'],
    ],
    'deployment/artifacts': [],
    'deployment/images': ['deployment/revision'],
    'deployment/sources': ['agent', 'deployment/artifacts', 'deployment/images'],
    'deployment/builds': [
      ...['deployment/artifacts', 'deployment/images', 'deployment/sources'],
      ...['deployment/revision', 'deployment/sandbox'],
    ],
    rollout: ['deployment'],
    network: [],
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
    carrying: ['db', 'migrations'],
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
  project: {
    '.': ['python/settings'],
    python: [],
  },
  graph: {
    '.': [],
    python: [],
    js: [
      ...['js/auth', 'js/checkpoints', 'js/langgraph', 'js/modules', 'js/patches', 'js/store'],
      ...['js/run/run', 'js/schemas/runtime', 'js/schemas/static'],
    ],
    'js/modules': [],
    'js/langgraph': ['js/modules'],
    'js/auth': ['js/modules'],
    'js/checkpoints': ['js/langgraph', 'js/patches/serializer'],
    'js/patches': [
      ...['js/langgraph', 'js/modules'],
      ...['js/checkpoints/revive', 'js/checkpoints/stored-json'],
    ],
    'js/run': [
      'js/patches/node-work',
      'js/checkpoints',
      'js/langgraph',
      'js/project',
      'js/project-graph',
    ],
    'js/store': ['js/langgraph', 'js/modules'],
    'js/schemas': ['js/langgraph', 'js/modules', 'js/project-graph'],
    'js/bundle': ['js/langgraph', 'js/modules', 'js/schemas', 'js/store'],
  },
  artifacts: {
    '.': ['archive'],
    archive: [],
    registry: [],
  },
  build: {
    '.': ['javascript', 'python', 'sources'],
    javascript: ['sources/locked-packages'],
    python: [],
    sources: [],
  },
  http: {
    '.': [],
    dashboard: [],
    'web-socket': [],
  },
  gateway: {
    '.': ['server', 'upstream'],
    server: [],
    upstream: [],
  },
  runtime: {
    '.': ['docker', 'kubernetes', 'process', 'replicas'],
    replicas: [],
    process: ['replicas'],
    docker: ['replicas'],
    kubernetes: ['kubernetes/objects', 'replicas'],
    'kubernetes/objects': [],
  },
  'agent-server': {
    '.': ['access'],
    access: [],
    operations: ['access'],
    assistants: ['operations', 'threads', 'runs/cancel'],
    threads: ['access', 'operations', 'webhooks', 'runs/cancel', 'runs/run-schemas'],
    runs: [
      ...['access', 'assistants', 'operations', 'threads'],
      ...['streams/run', 'webhooks/outbox'],
    ],
    timelines: ['operations', 'runs'],
    streams: ['operations', 'runs', 'threads'],
    execution: ['runs', 'streams', 'threads', 'protocol/protocol-projection'],
    protocol: ['assistants', 'operations', 'runs', 'streams', 'threads'],
    crons: ['assistants', 'operations', 'runs', 'threads'],
    store: ['operations'],
    webhooks: ['access', 'operations', 'a2a/push', 'runs/run-on-wire'],
    a2a: ['access', 'assistants', 'operations', 'runs', 'threads'],
    mcp: ['access', 'assistants', 'operations', 'runs'],
    ui: ['operations'],
    server: ['*'],
  },
  'control-plane': {
    '.': ['domains/dns', 'oauth/vault', 'rollout/build-followers', 'sessions/oidc'],
    operations: [],
    people: ['operations', 'oauth/tokens/holders'],
    oauth: [
      ...[
        'oauth/providers/authorization-server',
        'oauth/providers/removal',
        'oauth/providers/providers',
      ],
      ...['oauth/tokens/holders', 'oauth/tokens/refresh'],
    ],
    'oauth/providers': ['operations', 'people', 'oauth/consent/consents', 'oauth/tokens/events'],
    'oauth/consent': ['oauth/providers', 'oauth/tokens', 'operations', 'people'],
    'oauth/tokens': ['oauth/providers', 'operations', 'people'],
    'oauth/connections': ['oauth/tokens', 'operations', 'people'],
    sources: ['operations', 'people', 'deployments/access', 'deployments/deployment-schemas'],
    deployments: ['operations', 'people', 'sources', 'revisions/revisions', 'rollout/failure'],
    domains: ['deployments', 'operations', 'people'],
    revisions: ['deployments', 'operations', 'people', 'sources'],
    rollout: ['revisions', 'domains/proof', 'oauth/vault', 'oauth/tokens/holders'],
    leadership: ['rollout', 'figures/sampler', 'oauth/upkeep'],
    figures: ['deployments', 'operations'],
    pushes: ['deployments', 'operations', 'people'],
    logs: ['deployments', 'operations', 'revisions', 'rollout/failure'],
    integrations: ['deployments', 'operations', 'people'],
    sessions: ['operations', 'people', 'oauth/consent/pages'],
    server: ['*'],
  },
  cli: {
    '.': ['agents', 'deploy/deploy', 'deployments', 'people', 'project'],
    terminal: [],
    agents: ['terminal'],
    project: ['terminal'],
    dev: [],
    doctor: [],
    deploy: ['terminal'],
    deployments: ['deploy/rollout-report', 'terminal'],
    people: ['terminal'],
  },
}

/** What every area of the dashboard may import. */
export const AREA_GROUND: readonly string[] = ['api', 'design', 'shell']

/**
 * By folder of `dashboard/src`, what it may import besides itself and the client: a folder as a whole, or one of
 * its files. Where nothing stands, that is the ground.
 */
export const AREAS: Readonly<Record<string, readonly string[]>> = {
  design: ['api/mode'],
  api: ['design/status'],
  shell: ['api', 'design'],
  runs: [
    ...AREA_GROUND,
    'deployments/logs/log-lines',
    'deployments/logs/queries',
    'studio/conversation/message-text',
    'webhooks/deliveries-table',
    'webhooks/delivery-dialog',
  ],
  threads: [...AREA_GROUND, 'studio/thread-studio'],
  home: [...AREA_GROUND, 'deployments/deployment-state', 'deployments/new/new-deployment-form'],
  deployments: [
    ...AREA_GROUND,
    ...['operations/charts', 'operations/figures', 'operations/now', 'operations/queries'],
  ],
}
