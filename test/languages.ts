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
    what: 'What is told of a model’s call names it as LangChain for Python does: `lc_versions`, `ls_provider` in lower case, ids that begin with `lc_run-`',
    why: 'these are LangChain’s own names',
  },
  tasks: {
    what: 'A task that begins is told without an empty list of interrupts',
    why: 'LangGraph for Python says of interrupts when a task ends',
  },
  configs: {
    what: 'The config in `checkpoints` and `debug` has `configurable` alone',
    why: 'LangGraph for Python puts no more into it',
  },
  callbacks: {
    what: '`events` have `parent_ids` and `on_chain_stream`, and the name of a conditional edge’s function',
    why: 'they are LangChain’s, whose two languages tell different ones',
  },
  tools: {
    what: 'On `tools` the input is an object, the output has its message’s id where it is known, and an error has no name',
    why: 'LangGraph for Python tells its own stream so',
  },
  questions: {
    what: 'The values that come with `__interrupt__` have the state too',
    why: 'LangGraph for Python adds the interrupt to the values; in TypeScript it stands alone',
  },
  nothing: {
    what: 'The update of a node that changes nothing is `null`',
    why: 'LangGraph for Python says so of a node that answers `{}`; in TypeScript it is `{}`',
  },
  cancelling: {
    what: 'A message that is cut off by a cancel ends with the code `cancelled`',
    why: 'the server says so; in TypeScript the model says why it was aborted',
  },
  pending: {
    what: 'When a command goes to a node while another one still asks, what that node did comes into the state with the answer',
    why: 'LangGraph for Python executes both in one step, which ends when all of it is answered',
  },
  context: {
    what: '`runtime.context` is `None` where nothing was given',
    why: 'LangGraph for Python has no empty context; in TypeScript it is `{}`',
  },
  numbers: {
    what: 'Whole numbers beyond 2^53, and floats such as `2.0`, are what was sent',
    why: 'JavaScript has one kind of number: a graph in TypeScript meets what `JSON.parse` makes of them, as with the official server',
  },
  schemas: {
    what: 'Schemas are those of pydantic: titles, `$defs`, `anyOf` with `null`, and no `langgraph_type`',
    why: 'LangGraph for Python makes them; of TypeScript’s types Runyard makes them',
  },
  drawings: {
    what: 'In a drawing the start is a `runnable`, a subgraph has the name of its node and is opened even for one node, and `conditional` is there where it is true',
    why: 'LangGraph for Python draws so',
  },
  versions: {
    what: '`/info` has `langgraph_py_version`, and no `context`',
    why: 'clients know the language by it',
  },
  packages: {
    what: '`deepagents` and `langchain` have nodes of other names',
    why: 'they are other packages',
  },
  middleware: {
    what: 'A project whose `http.app` has middleware is asked about every request',
    why: 'Starlette’s middleware stands before all routes; that of Hono has a path',
  },
  apps: {
    what: '`http.app` is an app of ASGI: Starlette, FastAPI or any other',
    why: 'that is what Python’s web frameworks are; in TypeScript it is one of Hono',
  },
  refusals: {
    what: 'An `HTTPException` of FastAPI becomes `{"detail": …}`',
    why: 'FastAPI answers it so; Hono answers with the bare text',
  },
  'no answer': {
    what: 'A route of FastAPI that returns nothing answers `null`',
    why: 'FastAPI takes it for a value; in Hono it is a mistake, and a 500',
  },
  connections: {
    what: '`request.client` has an address and a port',
    why: 'ASGI knows no more of a connection',
  },
  'not found': {
    what: 'An app has no way to answer 404 in the words of the server',
    why: 'what it has no route for goes on to the API, which says it; a 404 of its own is its own',
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
