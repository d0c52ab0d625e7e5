/** One deployment's agent server, asked through the gateway with the client's key. */
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { send } from './transport.ts'

/** One event of a stream. `data` is what its JSON says. */
export interface StreamEvent {
  event: string
  data: unknown
}

export class AgentServer {
  /** Without a slash at the end. */
  readonly url: string
  readonly #base: string
  readonly #headers: Record<string, string>
  readonly #fetch: typeof fetch

  /** `base`: the control plane's address, for messages. `headers` say who asks. */
  constructor(options: {
    url: string
    base: string
    headers: Record<string, string>
    fetch: typeof fetch
  }) {
    this.url = options.url
    this.#base = options.base
    this.#headers = options.headers
    this.#fetch = options.fetch
  }

  /** Answers the JSON of an operation. Throws like the client's other calls. */
  async call<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
    const response = await this.#send(method, path, body)
    return (await response.json()) as T
  }

  /** The events of a stream, as they come. It ends with the stream, or throws when the signal is aborted. */
  async *stream(path: string, body: object, signal?: AbortSignal): AsyncGenerator<StreamEvent> {
    const response = await this.#send('POST', path, body, signal)
    const texts = response.body?.pipeThrough(new TextDecoderStream())
    const events = texts?.pipeThrough(new EventSourceParserStream())
    for await (const { event, data } of events ?? []) {
      yield { event: event ?? 'message', data: JSON.parse(data) }
    }
  }

  #send(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> {
    const request = new Request(`${this.url}${path}`, {
      method,
      headers: { ...this.#headers, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    return send(this.#fetch, this.#base, request)
  }
}
