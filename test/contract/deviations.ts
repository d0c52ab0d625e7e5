/** Where Runyard's APIs differ from the originals, each with the reason. */
import type { DocumentName } from './document.ts'

interface Deviation {
  document: DocumentName
  /** The place as the test names it; `*` stands for any text. */
  at: string
  reason: string
}

type Place = Omit<Deviation, 'document'>

/** What is always there in an answer of these, unless a `select` leaves it out. */
const SELECTABLE: Record<string, string[]> = {
  'POST /assistants/search': ['assistant_id', 'graph_id', 'metadata'],
  'POST /threads/search': ['thread_id', 'metadata', 'status'],
  'GET /threads/{thread_id}/runs': ['run_id', 'thread_id', 'assistant_id', 'metadata'].concat(
    'status',
    'kwargs',
    'multitask_strategy',
  ),
  'POST /runs/crons/search': ['cron_id', 'payload', 'schedule'],
  '* /threads/{thread_id}/state*': ['next'],
  '* /threads/{thread_id}/history': ['next'],
}

const agentServer: Place[] = [
  ...Object.entries(SELECTABLE).flatMap(([operation, fields]) =>
    fields.map((field) => ({
      at: `${operation} 200 application/json*.${field}`,
      reason: 'With `select` only the selected fields are there, which our document says.',
    })),
  ),
  ...['POST /assistants/search', 'POST /threads/search', 'GET *runs', 'POST *crons/search'].flatMap(
    (operation) =>
      ['created_at', 'updated_at'].map((field) => ({
        at: `${operation} 200 application/json[].${field}`,
        reason: 'With `select` only the selected fields are there, which our document says.',
      })),
  ),
  {
    at: '* request.ttl.ttl',
    reason: 'A time to live is its minutes: without them nothing would be known.',
  },
  ...['DELETE /store/items request.namespace', 'GET /store/items query namespace'].map((at) => ({
    at,
    reason: 'Every item has a namespace; a request without one is refused.',
  })),
  ...['checkpoint_ns', 'checkpoint_map'].map((field) => ({
    at: `* request.before.${field}`,
    reason: 'Ignored: the id of the checkpoint says it all.',
  })),
  {
    at: 'GET *runs/{run_id}/stream query stream_mode',
    reason: 'What is no stream mode is refused, which our document says.',
  },
  {
    at: 'GET /store/items 200 application/json',
    reason: 'null where there is no item, as SDKs and the official TypeScript server have it.',
  },
  {
    at: 'POST /store/namespaces 200 application/json',
    reason: 'An object with `namespaces`, which is what SDKs read.',
  },
  {
    at: 'POST /a2a/{assistant_id} 200 application/json.id',
    reason: 'JSON-RPC takes numbers too, and answers null to what has no id that could be read.',
  },
  ...['thread_id', 'end_time'].map((field) => ({
    at: `POST *runs/crons* 200 application/json*.${field}`,
    reason: 'null on a cron without a thread of its own, or without an end.',
  })),
  {
    at: 'DELETE /runs/crons/{cron_id} 200 application/json',
    reason: 'Answers 204 without a body, as the removal of a thread and of a run does.',
  },
  {
    at: 'GET /info 200 application/json.langgraph_py_version',
    reason: 'There is no Python here; the official TypeScript server does not say it either.',
  },
  {
    at: 'DELETE /threads/{thread_id} 200 application/json',
    reason: 'Answers 204 without a body, as the official TypeScript server does.',
  },
  {
    at: 'DELETE /threads/{thread_id}/runs/{run_id} 200 application/json',
    reason: 'Answers 204 without a body, as the official TypeScript server does.',
  },
  {
    at: 'POST /threads/{thread_id}/runs/{run_id}/cancel 200 application/json',
    reason: 'Answers 202, and with wait=1 204, as SDKs expect.',
  },
  {
    at: '* application/json*.values',
    reason: 'A graph without a state of fields answers whatever it returns; a fresh thread null.',
  },
  { at: '* application/json*.values[]', reason: 'Such a graph may return a list of anything.' },
  {
    at: '*.interrupts[].value',
    reason: 'A graph may interrupt with any value, and with none.',
  },
  {
    at: '* application/json*.checkpoint',
    reason: 'As LangGraph hands it out; null on a thread without a run and on a finished task.',
  },
  { at: '*.tasks[].error', reason: 'null where a task has not failed.' },
  { at: '*.tasks[].state', reason: 'null where a task is no subgraph.' },
  ...['metadata', 'created_at', 'parent_checkpoint'].flatMap((field) =>
    ['state*', 'history'].map((route) => ({
      at: `* /threads/{thread_id}/${route} 200 application/json*.${field}`,
      reason: 'null on a thread without a run: the official TypeScript server answers the same.',
    })),
  ),
  {
    at: '* application/json*.config',
    reason: 'Answered as it was sent, with whatever else it holds.',
  },
  { at: '* application/json*.context', reason: 'Any JSON value may be the context of a graph.' },
  {
    at: '* request*.checkpoint.thread_id',
    reason: 'Ignored: the path names the thread.',
  },
  {
    at: '* request*.before.thread_id',
    reason: 'Ignored: the path names the thread.',
  },
  {
    at: 'GET /assistants/{assistant_id}/schemas 200 application/json.state_schema',
    reason: 'Missing where it cannot be derived.',
  },
]

const controlPlane: Place[] = [
  {
    at: '*.source_config.deployment_type',
    reason: 'The names changed over time: all are taken and answered as they were sent.',
  },
  {
    at: '*.source_config.resource_spec',
    reason: 'Answered as it was sent: what was not given is absent.',
  },
  { at: '*.source_config.listener_config', reason: 'Answered as it was sent.' },
  {
    at: '* /v2/auth/providers* request.code_challenge_method',
    reason: 'There are two methods, S256 and plain (RFC 7636); another could only fail later.',
  },
  ...['setup', 'callback'].map((way) => ({
    at: `GET /v2/auth/${way}/{provider_id} 200 application/json`,
    reason: 'A page: a person comes there with a browser.',
  })),
  {
    at: 'POST /v2/auth/authenticate request.use_agent_builder_public_oauth',
    reason: "Hidden in the original, for applications of LangChain's own; it changes nothing here.",
  },
]

export const DEVIATIONS: Deviation[] = [
  ...agentServer.map((one): Deviation => ({ document: 'agent-server', ...one })),
  ...controlPlane.map((one): Deviation => ({ document: 'control-plane', ...one })),
]
