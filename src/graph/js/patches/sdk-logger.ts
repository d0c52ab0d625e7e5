/**
 * The logger that `getLogger()` of `@langchain/langgraph-sdk/logging` returns inside a project: its lines go into the
 * server's log. The SDK looks for it under this symbol and throws if it is missing, maybe while a module is imported:
 * so it is installed before the project is imported.
 */

import { inspect } from 'node:util'
import { OF_PROJECT } from '../../../core/deployment/log-source.ts'
import { isObject } from '../../../core/json.ts'
import { type Log, silentLog } from '../../../core/log.ts'
import type { LangGraph } from '../modules/langgraph-package.ts'

const LOGGER = Symbol.for('langgraph.api.sdk-logger')

/** The SDK's levels, and ours. Its levels below `info` become `debug`. */
const LEVELS = {
  error: 'error',
  warn: 'warn',
  help: 'info',
  data: 'info',
  info: 'info',
  http: 'debug',
  verbose: 'debug',
  debug: 'debug',
  prompt: 'debug',
  input: 'debug',
  silly: 'debug',
} as const

/** `message` is a sentence, an error, or an object that may have a `message`; `meta` are more fields. */
type LogMethod = (message: unknown, ...meta: unknown[]) => SdkLogger
type SdkLogger = Record<keyof typeof LEVELS, LogMethod>

let connected: Log = silentLog

/** From now on `getLogger()` returns a logger, and loggers that it returned before write to `log` too. */
export function installSdkLogger(log: Log): void {
  connected = log
  Object.assign(globalThis, { [LOGGER]: logger })
}

const logger = Object.fromEntries(
  Object.entries(LEVELS).map(([name, level]) => {
    const write: LogMethod = (message, ...meta) => {
      const { sentence, fields } = lineOf(message, meta)
      connected[level]({ ...nodeFields(), ...fields, ...OF_PROJECT }, sentence)
      return logger
    }
    return [name, write]
  }),
) as SdkLogger

let getConfig: LangGraph['getConfig']

/** From now on lines that nodes write name their node. */
export function nameNodesBy(langgraph: Pick<LangGraph, 'getConfig'>): void {
  getConfig = langgraph.getConfig
}

function nodeFields(): object {
  try {
    const langgraph_node = getConfig?.()?.metadata?.langgraph_node
    return langgraph_node === undefined ? {} : { langgraph_node }
  } catch {
    return {}
  }
}

function lineOf(first: unknown, meta: unknown[]): { sentence: string; fields: object } {
  const rest = meta.filter((one) => !isObject(one))
  const fields = Object.assign({}, ...meta.filter(isObject).map(fieldsOf))
  if (rest.length > 0) fields.args = rest
  if (!isObject(first)) {
    return { sentence: typeof first === 'string' ? first : inspect(first), fields }
  }
  const { message } = first as { message?: unknown }
  const sentence = typeof message === 'string' ? message : 'the graph has logged an object'
  return { sentence, fields: { ...fieldsOf(first), ...fields } }
}

/** The line's own members; a field of the same name is kept with an underscore behind it. */
const OWN = new Set(['level', 'time', 'pid', 'mark', 'msg', ...Object.keys(OF_PROJECT)])

function fieldsOf(object: object): object {
  if (object instanceof Error) return { err: object }
  const entries = Object.entries(object).filter(([name]) => name !== 'message')
  return Object.fromEntries(
    entries.map(([name, value]) => [OWN.has(name) ? `${name}_` : name, value]),
  )
}
