/**
 * What is not the same with graphs in Python as with graphs in TypeScript. Whatever a test expects
 * otherwise of one of them names its reason here; `docs/python.md` tells people the same.
 */

interface Told {
  /** What is otherwise in Python. */
  what: string
  why: string
}

export const DIFFERENCES = {
  messages: {
    what: 'Messages have the fields of LangChain for Python',
    why: 'they are written as Python’s LangChain writes them, as clients of the official Python server know them',
  },
  models: {
    what: 'The metadata of a model’s call has LangChain for Python’s names: `lc_versions`, `ls_provider` in lower case, ids that begin with `lc_run-`',
    why: 'LangChain itself sets these names',
  },
  tasks: {
    what: 'The event of a task’s start has no empty list of interrupts',
    why: 'LangGraph for Python lists interrupts at a task’s end',
  },
  configs: {
    what: 'The config in `checkpoints` and `debug` has `configurable` alone',
    why: 'LangGraph for Python puts no more into it',
  },
  callbacks: {
    what: '`events` have `parent_ids` and `on_chain_stream`, and the name of a conditional edge’s function',
    why: 'LangChain makes these events, and its two languages differ',
  },
  tools: {
    what: 'On `tools` the input is an object, the output has its message’s id if it is known, and an error has no name',
    why: 'LangGraph for Python makes this stream itself',
  },
  questions: {
    what: 'The values with `__interrupt__` include the state',
    why: 'LangGraph for Python adds the interrupt to the values; in TypeScript the interrupt is alone',
  },
  nothing: {
    what: 'The update of a node that changes nothing is `null`',
    why: 'LangGraph for Python reports `null` for a node that returns `{}`; in TypeScript the update is `{}`',
  },
  cancelling: {
    what: 'A message that is cut off by a cancel ends with the code `cancelled`',
    why: 'the server sets the code; in TypeScript the model gives the reason of the abort',
  },
  pending: {
    what: 'When a command goes to a node while another node waits for an answer, the state gets the first node’s result only with the answer',
    why: 'LangGraph for Python executes both nodes in one step, which ends with the last answer',
  },
  context: {
    what: '`runtime.context` is `None` where nothing was given',
    why: 'LangGraph for Python has no empty context; in TypeScript it is `{}`',
  },
  numbers: {
    what: 'Whole numbers beyond 2^53, and floats such as `2.0`, arrive as sent',
    why: 'JavaScript has one kind of number: a graph in TypeScript gets the result of `JSON.parse`, as with the official server',
  },
  schemas: {
    what: 'Schemas are those of pydantic: titles, `$defs`, `anyOf` with `null`, and no `langgraph_type`',
    why: 'LangGraph for Python makes these schemas; Runyard makes those of TypeScript’s types',
  },
  drawings: {
    what: 'In a drawing the start is a `runnable`, a subgraph has the name of its node and is expanded even if it has one node, and `conditional` is present only if it is true',
    why: 'LangGraph for Python makes the drawing',
  },
  versions: {
    what: '`/info` has `langgraph_py_version`, and no `context`',
    why: 'clients read the language from this field',
  },
  packages: {
    what: '`deepagents` and `langchain` have nodes of other names',
    why: 'the Python packages are separate projects',
  },
  middleware: {
    what: 'The middleware of a project’s `http.app` gets every request',
    why: 'Starlette’s middleware runs before all routes; Hono’s has a path',
  },
  apps: {
    what: '`http.app` is an ASGI app: Starlette, FastAPI or any other',
    why: 'Python’s web frameworks use ASGI; in TypeScript the app is a Hono app',
  },
  refusals: {
    what: 'An `HTTPException` of FastAPI becomes `{"detail": …}`',
    why: 'FastAPI makes this body; Hono sends the bare text',
  },
  'no answer': {
    what: 'A FastAPI route that returns nothing sends `null`',
    why: 'FastAPI treats nothing as a value; in Hono a missing response is a 500',
  },
  connections: {
    what: '`request.client` has an address and a port',
    why: 'ASGI has no more data about a connection',
  },
  'not found': {
    what: 'An app cannot send the server’s own 404 body',
    why: 'requests without a route in the app go on to the API, which sends that body; the app’s own 404 stays as it is',
  },
} as const satisfies Record<string, Told>

export type Difference = keyof typeof DIFFERENCES

/** The transcripts of `test/golden` that Python graphs have otherwise, in `test/golden/python`. */
export const TRANSCRIPTS: Record<string, Difference[]> = {
  checkpoints: ['messages', 'configs'],
  debug: ['messages', 'configs', 'tasks'],
  events: ['messages', 'models', 'callbacks'],
  interrupt: ['questions'],
  messages: ['messages', 'models'],
  'messages-both': ['messages', 'models'],
  'messages-tuple': ['messages', 'models'],
  'messages-values': ['messages', 'models'],
  'protocol-deepagents': ['messages', 'models', 'tools', 'packages'],
  'protocol-cancel': ['models', 'tasks', 'cancelling'],
  'protocol-content-blocks': ['messages', 'models', 'tasks'],
  'protocol-error': ['tasks'],
  'protocol-interrupt-nested': ['questions', 'tasks'],
  'protocol-interrupt-root': ['questions', 'tasks'],
  'protocol-send': ['nothing', 'tasks'],
  'protocol-subgraphs': ['tasks'],
  'protocol-text': ['messages', 'models', 'tasks'],
  'protocol-tool-loop': ['messages', 'models', 'tasks', 'tools'],
  'subgraphs-debug': ['configs', 'tasks'],
  'subgraphs-events-values': ['callbacks'],
  tasks: ['messages', 'tasks'],
  tools: ['messages', 'tools'],
  'tools-error': ['messages', 'tools'],
  updates: ['messages'],
  'updates-tools-events': ['messages', 'models', 'callbacks', 'tools'],
  values: ['messages'],
}
