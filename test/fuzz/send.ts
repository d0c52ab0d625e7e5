/** One request, byte by byte as it was made up, and what came back. */
import http, { type Agent, type IncomingMessage } from 'node:http'
import type { FuzzRequest } from './requests.ts'

export interface FuzzAnswer {
  status: number
  type: string
  /** Of a stream only what came at first. */
  body: string
}

export interface FuzzClient {
  agent: Agent
  /** An answer that has not ended by then hangs, in ms. */
  hangMs: number
}

/** How long an event stream is listened to, in ms: it may stay open for ever. */
const STREAM_MS = 100

/** Rejects when nothing answers, the answer breaks off, or hangs. */
export function send(base: string, request: FuzzRequest, client: FuzzClient): Promise<FuzzAnswer> {
  return new Promise((resolve, reject) => {
    const { method, path, headers, body } = request
    const length = body ? { 'content-length': String(body.length) } : {}
    const { agent, hangMs } = client
    const call = http.request(base, { agent, method, path, headers: { ...headers, ...length } })
    const timer = setTimeout(() => call.destroy(new Error(`no end after ${hangMs} ms`)), hangMs)
    const settle = (work: () => void) => {
      clearTimeout(timer)
      work()
    }
    call.on('error', (error) => settle(() => reject(error)))
    call.on('response', (response) => {
      read(response).then(
        (text) => settle(() => resolve(answerOf(response, text))),
        (error) => settle(() => reject(error)),
      )
    })
    call.end(body)
  })
}

async function read(response: IncomingMessage): Promise<string> {
  const isStream = typeOf(response).startsWith('text/event-stream')
  let isCut = false
  const timer = isStream
    ? setTimeout(() => {
        isCut = true
        response.destroy()
      }, STREAM_MS)
    : undefined
  let text = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) text += chunk
  } catch (error) {
    if (!isCut) throw error
  } finally {
    clearTimeout(timer)
  }
  return text
}

function answerOf(response: IncomingMessage, body: string): FuzzAnswer {
  return { status: response.statusCode ?? 0, type: typeOf(response), body }
}

function typeOf(response: IncomingMessage): string {
  return response.headers['content-type'] ?? ''
}
