/** What pages of other origins may do: the part `http.cors` of `langgraph.json`, and its one rule. */

/** With every field absent, every origin may read and write, without cookies. */
export interface CorsConfig {
  allow_origins?: string[] | null | undefined
  /** Must match the whole origin. */
  allow_origin_regex?: string | null | undefined
  allow_methods?: string[] | null | undefined
  allow_headers?: string[] | null | undefined
  allow_credentials?: boolean | null | undefined
  expose_headers?: string[] | null | undefined
  /** In seconds. */
  max_age?: number | null | undefined
}

/** Whether all origins are treated alike: all may read, none may send cookies. */
export function isAnyOriginAllowed({ allow_origins, allow_origin_regex }: CorsConfig): boolean {
  return !allow_origin_regex && (!allow_origins || allow_origins.includes('*'))
}

/**
 * The rule by which an origin is allowed: it is on the list, or the regular expression matches. The
 * caller evaluates that expression with `matches`.
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

/** Whether browsers send cookies and let pages of other origins read the responses. */
export function areCookiesAllowed(config: CorsConfig): boolean {
  return config.allow_credentials === true && !isAnyOriginAllowed(config)
}

/**
 * Whether this origin is the server's own. `host`: the requested one, with or without a port. The scheme does not
 * count, since a proxy in front may have ended TLS.
 */
export function isOwnOrigin(origin: string, host: string | null | undefined): boolean {
  const page = URL.parse(origin)
  return Boolean(page?.host && host) && URL.parse(`${page?.protocol}//${host}`)?.host === page?.host
}

/** Headers that the SDKs read in a browser; they do not work without them. */
const EXPOSED_HEADERS = [
  'Content-Location',
  'Location',
  'X-Pagination-Total',
  'X-Pagination-Next',
  'X-Search-Looked-At',
  'X-Request-Id',
]

/** The names of the headers that pages may read. */
export function exposedHeaders({ expose_headers }: CorsConfig): string[] {
  const own = expose_headers ?? []
  const isMissing = (name: string) => !own.some((one) => one.toLowerCase() === name.toLowerCase())
  return [...own, ...EXPOSED_HEADERS.filter(isMissing)]
}
