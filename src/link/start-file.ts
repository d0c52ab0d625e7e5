/** Reads the start message of an agent server that is no child process, from its driver's file. */
import { readFileSync, readSync } from 'node:fs'
import { AppError } from '../core/errors.ts'
import { isStartMessage, type StartMessage } from './messages.ts'

const NAMES = ['deployment_id', 'deployment_name', 'revision_id', 'gatewayToken'] as const

/** A start message on standard input lies on no disk. The driver has to close it. */
const STDIN = '/dev/stdin'
/** Time limit for the whole message, and time between two reads, in ms. */
const STDIN_LIMIT_MS = 30_000
const LOOK_MS = 5

/** Throws `bad_request` without quoting the file, which is secret. */
export function readStartFile(path: string): StartMessage {
  const message = parse(path, readText(path))
  if (!isStartMessage(message)) throw refusal(path, 'holds no start message of a runtime driver')
  const fields: Partial<StartMessage> = message
  for (const name of NAMES) {
    if (typeof fields[name] !== 'string' || !fields[name]) throw refusal(path, `lacks ${name}`)
  }
  if (!isSecrets(fields.secrets)) throw refusal(path, 'lacks secrets: an object of texts')
  return message
}

function isSecrets(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).every((one) => typeof one === 'string')
}

function readText(path: string): string {
  try {
    return path === STDIN ? readStandardInput() : readFileSync(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw refusal(path, `cannot be read (${code})`)
  }
}

/**
 * Reads by number: the path leads to a pipe that belongs to another user. Engines pass a pipe that does not block, and
 * write to it when the container has begun.
 */
function readStandardInput(): string {
  const chunks: Buffer[] = []
  for (const until = performance.now() + STDIN_LIMIT_MS; ; ) {
    const chunk = Buffer.alloc(65_536)
    try {
      const length = readSync(0, chunk)
      if (length === 0) return Buffer.concat(chunks).toString('utf8')
      chunks.push(chunk.subarray(0, length))
    } catch (error) {
      const isEmpty = (error as NodeJS.ErrnoException).code === 'EAGAIN'
      if (!isEmpty || performance.now() > until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS)
    }
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The message of the error quotes the text.
    throw refusal(path, 'cannot be understood: it is no JSON')
  }
}

function refusal(path: string, what: string): AppError {
  return new AppError('bad_request', `The file ${path} (RUNYARD_START_FILE) ${what}.`)
}
