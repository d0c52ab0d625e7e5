/** Which pages of other origins may do what: the part `http.cors` of `langgraph.json`, and its one rule. */

/** Absent: every origin may read and write, without cookies. */
export interface CorsConfig {
  allow_origins?: string[] | null | undefined
  /** Has to match the whole origin. */
  allow_origin_regex?: string | null | undefined
  allow_methods?: string[] | null | undefined
  allow_headers?: string[] | null | undefined
  allow_credentials?: boolean | null | undefined
  expose_headers?: string[] | null | undefined
  /** In seconds. */
  max_age?: number | null | undefined
}

/** Whether the rule is the same for every origin: all may read, none with cookies. */
export function isAnyOriginAllowed({ allow_origins, allow_origin_regex }: CorsConfig): boolean {
  return !allow_origin_regex && (!allow_origins || allow_origins.includes('*'))
}

/**
 * An origin is allowed when either the list or the regular expression says so; `matches` is how that one is
 * asked.
 */
export function originRule(
  config: CorsConfig,
  matches = (regex: RegExp, origin: string) => regex.test(origin),
): (origin: string) => boolean {
  const { allow_origins, allow_origin_regex } = config
  if (isAnyOriginAllowed(config)) return () => true
  const whole = allow_origin_regex ? new RegExp(`^(?:${allow_origin_regex})$`) : undefined
  return (origin) => {
    const isListed = allow_origins?.some((one) => one === '*' || one === origin) ?? false
    return isListed || (whole !== undefined && matches(whole, origin))
  }
}

/** Whether the browser sends cookies along, and lets pages of other origins read what is answered. */
export function areCookiesAllowed(config: CorsConfig): boolean {
  return config.allow_credentials === true && !isAnyOriginAllowed(config)
}

/**
 * Whether a page of this origin is one of the server's own: `host` is what its client asked for, with
 * or without a port. A proxy in front may have taken the TLS away, so the scheme does not count.
 */
export function isOwnOrigin(origin: string, host: string | null | undefined): boolean {
  const page = URL.parse(origin)
  return Boolean(page?.host && host) && URL.parse(`${page?.protocol}//${host}`)?.host === page?.host
}

/** What SDKs in a browser read from answers; they do not work without. */
const EXPOSED_HEADERS = [
  'Content-Location',
  'Location',
  'X-Pagination-Total',
  'X-Pagination-Next',
  'X-Request-Id',
]

/** The names of the headers that pages may read. */
export function exposedHeaders({ expose_headers }: CorsConfig): string[] {
  const own = expose_headers ?? []
  const isMissing = (name: string) => !own.some((one) => one.toLowerCase() === name.toLowerCase())
  return [...own, ...EXPOSED_HEADERS.filter(isMissing)]
}
