/**
 * The page while the app is not built. It goes on to the app by itself, at the same URL with its `#` part, so that a
 * sign-in link keeps its code. Without scripts it reloads itself.
 */
import { pageHeaders } from './policy.ts'

/** Why there is no app. */
export type Absence = 'building' | 'failed' | 'missing'

const TEXTS: Readonly<Record<Absence, string>> = {
  building:
    'The dashboard is being built, which takes about a minute after the first start of a clone. ' +
    'This page goes on to it by itself.',
  failed:
    'The dashboard could not be built: the log of Runyard says why. Everything else works; ' +
    'the command line can do all that the dashboard can.',
  missing:
    'The dashboard has not been built. In a clone, start Runyard with "npm start", or run ' +
    '"npm run build -w dashboard".',
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.6 system-ui, sans-serif }
body { min-height: 90vh; margin: 0; padding: 24px; display: grid; place-items: center }
main { max-width: 32rem }
h1 { font-size: 1.2rem } p { opacity: .8 } output { font-variant-numeric: tabular-nums }`

const RELOAD_SECONDS = { building: 2, failed: 30, missing: 10 } as const

/** Fetches the page repeatedly, and loads it as soon as it has changed. */
const SCRIPT = `
const [waited] = document.getElementsByTagName('output')
const begun = Date.now()
setInterval(() => {
  const seconds = Math.round((Date.now() - begun) / 1000)
  waited.textContent = Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0')
}, 1000)
const ask = async () => {
  const { status } = await fetch(location.pathname, { headers: { accept: 'text/html' } })
    .catch(() => ({ status: 503 }))
  if (status === 503) setTimeout(ask, document.body.dataset.every * 1000)
  else location.reload()
}
setTimeout(ask, 1000)
`

export function answerNotBuilt(absence: Absence, nonce: string): Response {
  const seconds = RELOAD_SECONDS[absence]
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Runyard</title>
<style nonce="${nonce}">${STYLE}</style>
<noscript><meta http-equiv="refresh" content="${seconds}"></noscript>
</head>
<body data-every="${seconds}">
<main>
<h1>Runyard is running</h1>
<p>${TEXTS[absence]} <output role="timer"></output></p>
<p>The API answers meanwhile: see <a href="docs">its documentation</a>.</p>
</main>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`
  const headers = { ...pageHeaders(nonce, { isScriptInside: true }), 'cache-control': 'no-store' }
  return new Response(body, {
    status: 503,
    headers: { ...headers, 'retry-after': String(seconds) },
  })
}
