/** What this page shows, and where it lies: the server has written both into it. */

/** `control-plane`: all deployments. `agent-server`: the one that `serve` or `dev` runs. */
export type Mode = 'control-plane' | 'agent-server'

export const MODE: Mode =
  metaOf('runyard-mode') === 'agent-server' ? 'agent-server' : 'control-plane'

/** The path below which the app's own pages lie, with a slash at the end: `/`, or `/studio/`. */
export const BASE_PATH = new URL(document.baseURI).pathname

/** What styles that are made while the page runs have to carry. */
export const STYLE_NONCE =
  document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''

function metaOf(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content
}
