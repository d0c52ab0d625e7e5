/** The headers of the app's page: it may load only its own files, and no page may frame it. */

/**
 * `nonce`: for styles that the app adds while it runs. `isScriptInside`: the page contains a script with that nonce,
 * and no other may run.
 */
export function pageHeaders(
  nonce: string,
  { isScriptInside = false } = {},
): Record<string, string> {
  const scripts = isScriptInside ? `'nonce-${nonce}'` : "'self'"
  return { ...COMMON, 'content-security-policy': policy(nonce, scripts) }
}

/**
 * Scripts are the app's own files, and none is inline. Components of agents are shown in frames without
 * an origin.
 */
function policy(nonce: string, scripts: string): string {
  return [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "frame-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The document of the frames that components of agents run in, by its path below the app. */
export const COMPONENT_FRAME = 'component-frame.html'

/**
 * That document runs the code of agents: it has no origin, and only reaches the page around it, by
 * messages. Its scripts are inline, since a document without an origin may load none of ours.
 */
export const FRAME_HEADERS = {
  'content-security-policy': [
    'sandbox allow-scripts',
    "default-src 'none'",
    "script-src 'unsafe-inline' blob:",
    "style-src 'unsafe-inline' blob:",
    'img-src data: blob:',
    'media-src data: blob:',
    'font-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
} as const

const COMMON = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // Old browsers show by the referrer that a request comes from the page itself.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const
