/** What this page shows, and its base path: the server writes both into the HTML. */

/** `control-plane`: all deployments. `agent-server`: the one agent server that `serve` or `dev` runs. */
export type Mode = 'control-plane' | 'agent-server'

export const MODE: Mode =
  metaOf('runyard-mode') === 'agent-server' ? 'agent-server' : 'control-plane'

/** The path below which the app's own pages lie, with a slash at the end: `/`, or `/studio/`. */
export const BASE_PATH = new URL(document.baseURI).pathname

/** The nonce for styles that are created at run time. */
export const STYLE_NONCE =
  document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''

function metaOf(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content
}
