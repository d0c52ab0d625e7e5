/**
 * What each operation of the agent server's document lets one user do with what another one owns. A
 * new operation needs a row, or `ownership.test.ts` fails.
 */

/** What Alice has made; every text of hers holds the test's secret. */
export interface World {
  assistant_id: string
  /** A thread whose run is over. */
  thread_id: string
  run_id: string
  checkpoint_id: string
  /** A thread whose run waits. */
  waiting: { thread_id: string; run_id: string }
  /** Once a year. */
  cron_id: string
  /** Of the end of `run_id`. */
  delivery_id: string
  /** Of its timeline. */
  span_id: string
}

/** Where Alice keeps a note; the project keeps everyone's in a namespace of their own. */
export const NOTE = { namespace: ['notes'], key: 'note' }

/** The webhook of the deployment. */
export const STANDING_URL = 'http://127.0.0.1:9/'

export interface Decision {
  /**
   * - `hidden`: to another user it is as if it were not there: 404, or `status`.
   * - `narrowed`: everyone is answered, the owner with what is hers, another user without.
   * - `spared`: everyone is answered alike, and what is another user's stays as it is.
   * - `same`: nothing in it is anyone's, so it asks no handler.
   */
  for: 'hidden' | 'narrowed' | 'spared' | 'same'
  /** What another user gets instead of a 404. */
  status?: number
  /** What the owner gets, where that is no success. */
  answer?: number
  /** Values for the names in the path; those of `World` otherwise. */
  path?: (world: World) => Record<string, unknown>
  query?: (world: World) => Record<string, string>
  body?: (world: World) => unknown
  /** The owner's answer has no end: only its beginning is read. */
  isEndless?: true
  /** Refusals are answered with 200 and an `error`. */
  isRpc?: true
}

const hidden = (more: Omit<Decision, 'for'> = {}): Decision => ({ for: 'hidden', ...more })
const narrowed = (more: Omit<Decision, 'for'> = {}): Decision => ({ for: 'narrowed', ...more })
const waiting = (world: World) => ({ ...world.waiting })
const nothing = () => ({})
/** A run of Alice's assistant. */
const run = ({ assistant_id }: World) => ({ assistant_id, input: { question: 'now?' } })

const cron = (world: World) => ({ ...run(world), schedule: '@yearly' })

const ui = () => ({ graph_id: 'agent', file: 'entrypoint.js' })
const message = () => {
  const parts = [{ kind: 'text', text: 'hello' }]
  const params = { message: { kind: 'message', role: 'user', messageId: 'first', parts } }
  return { jsonrpc: '2.0', id: 1, method: 'message/send', params }
}

/** By `METHOD /path`. */
export const DECISIONS: Record<string, Decision> = {
  'GET /ok': { for: 'same' },
  'GET /info': { for: 'same' },
  'GET /': { for: 'same' },
  'GET /metrics': { for: 'same' },

  'POST /assistants': hidden({
    status: 409,
    body: ({ assistant_id }) => ({ assistant_id, graph_id: 'agent', if_exists: 'do_nothing' }),
  }),
  'POST /assistants/search': narrowed({ body: nothing }),
  'POST /assistants/count': narrowed({ body: nothing }),
  'GET /assistants/{assistant_id}': hidden(),
  'PATCH /assistants/{assistant_id}': hidden({ body: () => ({ name: 'mine' }) }),
  'DELETE /assistants/{assistant_id}': hidden({ query: () => ({ delete_threads: 'true' }) }),
  'POST /assistants/{assistant_id}/versions': hidden({ body: nothing }),
  'POST /assistants/{assistant_id}/latest': hidden({ body: () => ({ version: 1 }) }),
  'GET /assistants/{assistant_id}/graph': hidden(),
  'GET /assistants/{assistant_id}/schemas': hidden(),
  'GET /assistants/{assistant_id}/subgraphs': hidden(),
  'GET /assistants/{assistant_id}/subgraphs/{namespace}': hidden({
    path: (world) => ({ ...world, namespace: 'any' }),
  }),

  'POST /threads': hidden({
    status: 409,
    body: ({ thread_id }) => ({ thread_id, if_exists: 'do_nothing' }),
  }),
  'POST /threads/search': narrowed({ body: nothing }),
  'POST /threads/count': narrowed({ body: nothing }),
  'POST /threads/prune': narrowed({ body: ({ thread_id }) => ({ thread_ids: [thread_id] }) }),
  'GET /threads/{thread_id}': hidden(),
  'PATCH /threads/{thread_id}': hidden({ body: () => ({ metadata: { mine: true } }) }),
  'DELETE /threads/{thread_id}': hidden(),
  'POST /threads/{thread_id}/copy': hidden(),
  'GET /threads/{thread_id}/storage': hidden(),
  'GET /threads/{thread_id}/state': hidden(),
  'POST /threads/{thread_id}/state': hidden({ body: () => ({ values: { question: 'mine' } }) }),
  'PATCH /threads/{thread_id}/state': hidden({ body: () => ({ metadata: { mine: true } }) }),
  'POST /threads/{thread_id}/state/checkpoint': hidden({
    body: ({ checkpoint_id }) => ({ checkpoint: { checkpoint_id } }),
  }),
  'GET /threads/{thread_id}/state/{checkpoint_id}': hidden(),
  'GET /threads/{thread_id}/history': hidden(),
  'POST /threads/{thread_id}/history': hidden({ body: nothing }),
  'GET /threads/{thread_id}/stream': hidden({ isEndless: true }),

  'POST /threads/{thread_id}/commands': hidden({
    isRpc: true,
    body: () => ({ id: 1, method: 'state.get', params: { namespace: [] } }),
  }),
  'POST /threads/{thread_id}/stream/events': hidden({
    isEndless: true,
    body: () => ({ channels: ['values'] }),
  }),

  'GET /threads/{thread_id}/runs': hidden(),
  'GET /threads/{thread_id}/runs/{run_id}/timeline': hidden(),
  'GET /threads/{thread_id}/runs/{run_id}/timeline/{span_id}': hidden({
    path: (world) => ({ ...world, span_id: world.span_id }),
  }),
  'POST /runs/search': narrowed({ body: nothing }),
  'POST /threads/{thread_id}/runs': hidden({ body: run }),
  'POST /threads/{thread_id}/runs/wait': hidden({ body: run }),
  'POST /threads/{thread_id}/runs/stream': hidden({ body: run }),
  'GET /threads/{thread_id}/runs/{run_id}': hidden(),
  'DELETE /threads/{thread_id}/runs/{run_id}': hidden(),
  'GET /threads/{thread_id}/runs/{run_id}/join': hidden(),
  'GET /threads/{thread_id}/runs/{run_id}/stream': hidden(),
  'POST /threads/{thread_id}/runs/{run_id}/cancel': hidden({ path: waiting }),
  'GET /runs/{run_id}/stream': hidden(),
  'POST /runs': hidden({ body: run }),
  'POST /runs/wait': hidden({ body: run }),
  'POST /runs/stream': hidden({ body: run }),
  'POST /runs/batch': hidden({ body: (world) => [run(world)] }),
  'POST /runs/cancel': hidden({ body: () => ({ status: 'all' }) }),

  'POST /threads/{thread_id}/runs/crons': hidden({ body: cron }),
  'POST /runs/crons': hidden({ body: cron }),
  'POST /runs/crons/search': narrowed({ body: nothing }),
  'POST /runs/crons/count': narrowed({ body: nothing }),
  'GET /runs/crons/{cron_id}': hidden(),
  'PATCH /runs/crons/{cron_id}': hidden({ body: () => ({ enabled: false }) }),
  'POST /runs/crons/{cron_id}/run': hidden(),
  'DELETE /runs/crons/{cron_id}': hidden(),

  'PUT /store/items': { for: 'spared', body: () => ({ ...NOTE, value: { note: 'new' } }) },
  'GET /store/items': narrowed({ query: () => ({ namespace: 'notes', key: NOTE.key }) }),
  'DELETE /store/items': { for: 'spared', body: () => NOTE },
  'POST /store/items/search': narrowed({ body: () => ({ namespace_prefix: ['notes'] }) }),
  'POST /store/namespaces': narrowed({ body: nothing }),

  'POST /mcp/': narrowed({
    isRpc: true,
    body: () => ({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  }),
  'GET /mcp/': { for: 'same', answer: 405 },
  'DELETE /mcp/': { for: 'same', answer: 405 },
  'POST /a2a/{assistant_id}': hidden({ body: message }),
  'GET /.well-known/agent-card.json': hidden({ query: ({ assistant_id }) => ({ assistant_id }) }),
  'GET /a2a/{assistant_id}/.well-known/agent-card.json': hidden(),
  'GET /a2a/{assistant_id}/.well-known/agent.json': hidden(),

  'POST /ui/{graph_id}': { for: 'same', path: ui, body: () => ({ name: 'note' }) },
  'GET /ui/{graph_id}/{file}': { for: 'same', path: ui },

  'GET /webhooks/deliveries': narrowed(),
  'GET /webhooks/deliveries/{delivery_id}': hidden(),
  'POST /webhooks/deliveries/{delivery_id}/redeliver': hidden(),
  'POST /webhooks/test': { for: 'same', answer: 403, body: () => ({ url: STANDING_URL }) },
}
