/** A person with a browser of their own: keeps cookies, follows links, fills in the provider's forms. */
export class Person {
  readonly #cookies = new Map<string, Map<string, string>>()
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  /** Opens a link and answers the provider's questions, up to the page that is no question any more. */
  async consent(url: string): Promise<Seen> {
    return this.#through(await this.open(url), 'consent')
  }

  /** Logs in, and then says no. */
  async refuse(url: string): Promise<Seen> {
    return this.#through(await this.open(url), 'refuse')
  }

  /** As `consent`, but stops where the provider sends them back: answers that address. */
  async consentUntil(url: string, prefix: string): Promise<string> {
    const seen = await this.#through(await this.open(url, prefix), 'consent', prefix)
    return seen.url
  }

  /** Opens a link and continues from its question; answers the address beginning with `until` it leads to. */
  async begin(url: string, until: string): Promise<string> {
    const { text } = await this.open(url)
    const action = /<form[^>]*action="([^"]+)"/.exec(text)?.[1] ?? ''
    return (await this.open(new URL(action, url).href, until, new URLSearchParams())).url
  }

  /** Follows where it leads; not beyond an address that begins with `until`. */
  async open(url: string, until?: string, form?: URLSearchParams): Promise<Seen> {
    let [next, body] = [url, form]
    for (let hops = 0; hops < 20; hops++) {
      if (until !== undefined && next.startsWith(until)) return { url: next, status: 0, text: '' }
      const response = await fetch(next, {
        redirect: 'manual',
        headers: {
          cookie: this.cookiesFor(next),
          accept: 'text/html',
          // As browsers do: the form that is sent is of the same site.
          ...(body && { origin: new URL(next).origin }),
        },
        ...(body && { method: 'POST', body }),
      })
      this.#keep(next, response.headers.getSetCookie())
      const location = response.headers.get('location')
      if (location === null) {
        const { status, headers } = response
        return { url: next, status, text: await response.text(), headers }
      }
      await response.body?.cancel()
      ;[next, body] = [new URL(location, next).href, undefined]
    }
    throw new Error(`${url} leads on and on`)
  }

  async #through(seen: Seen, answer: 'consent' | 'refuse', until?: string): Promise<Seen> {
    let page = seen
    for (let steps = 0; steps < 6; steps++) {
      const action = /<form[^>]*action="([^"]+)"/.exec(page.text)?.[1]
      if (!action) return page
      const prompt = /name="prompt" value="(\w+)"/.exec(page.text)?.[1] ?? ''
      if (prompt === 'consent' && answer === 'refuse') {
        const abort = /href="([^"]+\/abort)"/.exec(page.text)?.[1] ?? ''
        return this.open(new URL(abort, page.url).href, until)
      }
      const form = new URLSearchParams({ prompt, login: this.name, password: 'secret' })
      page = await this.open(new URL(action, page.url).href, until, form)
    }
    return page
  }

  cookiesFor(url: string): string {
    const { origin, pathname } = new URL(url)
    const jar = this.#cookies.get(origin) ?? new Map<string, string>()
    return [...jar]
      .filter(([key]) => pathname.startsWith(key.split(' ')[1] ?? '/'))
      .map(([key, value]) => `${key.split(' ')[0]}=${value}`)
      .join('; ')
  }

  /** By name and path, as a browser keeps them. */
  #keep(url: string, lines: string[]): void {
    const { origin } = new URL(url)
    const jar = this.#cookies.get(origin) ?? new Map<string, string>()
    this.#cookies.set(origin, jar)
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      const path = /;\s*path=([^;]+)/i.exec(line)?.[1] ?? '/'
      if (value === '') jar.delete(`${name} ${path}`)
      else jar.set(`${name} ${path}`, value)
    }
  }
}

export interface Seen {
  url: string
  status: number
  text: string
  headers?: Headers
}
