/** Requests and what can go wrong with them. */

/** An answer that was not 2xx. */
export class ControlPlaneError extends Error {
  /** The HTTP status. */
  readonly status: number
  /** Of the answer, where it names one: the server's log has it too. */
  readonly requestId: string | undefined

  constructor(status: number, message: string, requestId?: string) {
    super(message)
    this.name = 'ControlPlaneError'
    this.status = status
    this.requestId = requestId
  }
}

/** There was no answer. The message says where, and why. */
export class UnreachableError extends Error {
  constructor(url: string, cause: unknown) {
    super(`No control plane answers at ${url} (${reasonOf(cause)}).`, { cause })
    this.name = 'UnreachableError'
  }
}

/** Throws `ControlPlaneError` for an answer that is not 2xx, `UnreachableError` without one. */
export async function send(
  fetchOf: typeof fetch,
  base: string,
  request: Request,
): Promise<Response> {
  const response = await fetchOf(request).catch((cause: unknown) => {
    if (request.signal.aborted) throw cause
    throw new UnreachableError(base, cause)
  })
  if (response.ok) return response
  const text = await response.text()
  const message = `HTTP ${response.status}: ${detailOf(text)}`
  throw new ControlPlaneError(
    response.status,
    message,
    response.headers.get('x-request-id') ?? undefined,
  )
}

/** An operation that answers data: one that answers 204 does not compile here. */
type WithData<T> = [NonNullable<T>] extends [never] ? never : unknown

/** The data of an answer. Refusals were thrown before, so there is data. */
export async function dataOf<T>(
  answer: Promise<{ data?: T }> & WithData<T>,
): Promise<NonNullable<T>> {
  const { data } = await answer
  if (data === undefined || data === null) throw new TypeError('The operation answers no data.')
  return data
}

/** Waits for an operation that answers 204, without data. Refusals are thrown as by `dataOf`. */
export async function doneBy(answer: Promise<{ response: Response }>): Promise<void> {
  await answer
}

/** How many items the control plane answers at a time. */
const PAGE = 100

/** All items of a list that is answered in pages. */
export async function everyPage<T>(
  read: (page: { limit: number; offset: number }) => Promise<{ resources: T[] }>,
): Promise<T[]> {
  const found: T[] = []
  for (;;) {
    const { resources } = await read({ limit: PAGE, offset: found.length })
    found.push(...resources)
    if (resources.length < PAGE) return found
  }
}

function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    if (Array.isArray(detail)) return detail.map(issueOf).join('; ')
    return typeof detail === 'string' ? detail : text
  } catch {
    return text
  }
}

/** One field that did not validate, as `body.name: Too long`. */
function issueOf({ loc, msg }: { loc?: unknown[]; msg?: string }): string {
  return `${loc?.join('.')}: ${msg}`
}

/** Why `fetch` failed, which only its cause tells. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string } } & Error
  if (cause?.code === 'ECONNREFUSED') return 'connection refused'
  return cause?.message || cause?.code || message
}
