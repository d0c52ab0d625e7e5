/** Requests as a browser's page sends them: with its cookies, and saying where it comes from. */
import http, { type IncomingHttpHeaders } from 'node:http'

export interface PageAnswer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  body: any
}

export interface PageRequest {
  method?: string
  body?: unknown
  /** Over those that a page of the same origin sends; `undefined` leaves one out. */
  headers?: Record<string, string | undefined>
}

/** One browser: it keeps the cookies that it is given, and sends them to this origin. */
export class Page {
  readonly #origin: string
  readonly cookies = new Map<string, string>()

  constructor(origin: string) {
    this.#origin = origin
  }

  async ask(path: string, { method = 'GET', body, headers = {} }: PageRequest = {}) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const own = {
      'sec-fetch-site': 'same-origin',
      ...(cookie && { cookie }),
      ...(method !== 'GET' && { origin: this.#origin }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const sent = Object.entries({ ...own, ...headers }).filter(([, value]) => value !== undefined)
    const text = body === undefined ? undefined : JSON.stringify(body)
    const answer = await send(`${this.#origin}${path}`, {
      method,
      headers: Object.fromEntries(sent) as Record<string, string>,
      text,
    })
    for (const one of answer.headers['set-cookie'] ?? []) this.#keep(one)
    return answer
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    const isOver = Date.parse(/expires=([^;]+)/i.exec(line)?.[1] ?? '') <= 0
    if (isOver) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}

/** With any headers, the host among them. */
function send(
  url: string,
  {
    method,
    headers,
    text,
  }: { method: string; headers: Record<string, string>; text?: string | undefined },
): Promise<PageAnswer> {
  return new Promise((resolve, reject) => {
    const req = http.request(url, { method, headers, agent: false }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('error', reject)
      res.on('end', () => {
        const all = Buffer.concat(chunks).toString()
        const isJson = (res.headers['content-type'] ?? '').startsWith('application/json')
        const body = isJson ? JSON.parse(all) : undefined
        resolve({ status: res.statusCode ?? 0, headers: res.headers, text: all, body })
      })
    })
    req.on('error', reject)
    req.end(text)
  })
}
