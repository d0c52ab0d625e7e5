/** The pages that a person sees before and after the provider's own: small, without scripts, light and dark. */
import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'

export interface Page {
  /** Decides icon and colour. */
  kind: 'done' | 'refused' | 'problem'
  title: string
  /** What happened and what to do, one sentence each. */
  text: string[]
  /** A link to begin again; absent: none. */
  again?: string | undefined
}

/** The asker and the scopes, shown before the person goes to the provider. */
export interface Question {
  /** The name of the key or the deployment. */
  asker: string
  workspace: string
  /** The owner of the future token. */
  user: string
  provider: string
  /** Where the provider will ask. */
  host: string
  scopes: string[]
  /** The form's target, relative to the page's own address. */
  action: string
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6678; --page: #f4f6f9; --card: #fff;
  --line: #dde3ec; --done: #0d7a4f; --refused: #8a6100; --problem: #b3261e; --link: #1f5fd0 }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf3; --soft: #a3aec0; --page: #12161d;
  --card: #1b212b; --line: #303947; --done: #4cc38a; --refused: #e0b04a; --problem: #ff8a80;
  --link: #8ab4ff } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px;
  background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
main { width: 100%; max-width: 30rem; padding: 40px 36px; text-align: center;
  background: var(--card); border: 1px solid var(--line); border-radius: 16px }
.mark { width: 56px; height: 56px }
.done { color: var(--done) } .refused { color: var(--refused) } .problem { color: var(--problem) }
h1 { margin: 20px 0 8px; font-size: 1.45rem; line-height: 1.25; overflow-wrap: anywhere }
p { margin: 8px 0; color: var(--soft); overflow-wrap: anywhere }
dl { margin: 24px 0 16px; text-align: left; border-top: 1px solid var(--line) }
dl div { display: flex; gap: 16px; padding: 10px 0; border-bottom: 1px solid var(--line) }
dt { flex: 0 0 7rem; color: var(--soft) } dd { margin: 0; min-width: 0; overflow-wrap: anywhere }
a, button { display: inline-block; margin-top: 20px; padding: 10px 20px; border-radius: 10px;
  border: 1px solid var(--link); color: var(--link); text-decoration: none; font: inherit;
  font-weight: 600 }
button { background: var(--link); color: var(--card); cursor: pointer }
a:focus-visible, button:focus-visible { outline: 3px solid var(--link); outline-offset: 3px }
footer { margin-top: 28px; font-size: .85rem; color: var(--soft) }`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Nothing is loaded, run, sent or framed. */
const POLICY =
  `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; ` +
  `form-action 'none'; frame-ancestors 'none'`

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/**
 * As for other pages, but with a form. Browsers also check where the answer to a form leads: to the
 * provider, and on to wherever that sends people. With this referrer policy they name the form's own site
 * in its request, and still send the provider no referrer.
 */
export const QUESTION_HEADERS: Readonly<Record<string, string>> = {
  ...PAGE_HEADERS,
  'content-security-policy': POLICY.replace("form-action 'none'", 'form-action *'),
  'referrer-policy': 'same-origin',
}

const SHAPES: Readonly<Record<Page['kind'], string>> = {
  done: '<path d="M17 29l8 8 15-17"/>',
  refused: '<path d="M17 28h22"/>',
  problem: '<path d="M28 16v16M28 39v.5"/>',
}

/** The page as HTML; all texts are escaped. */
export async function render({ kind, title, text, again }: Page): Promise<string> {
  return frame(title, [
    html`<svg class="mark ${kind}" viewBox="0 0 56 56" fill="none" stroke="currentColor" stroke-width="4" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="28" cy="28" r="25" stroke-width="3"/>${raw(SHAPES[kind])}</svg>
<h1>${title}</h1>`,
    ...text.map((line) => html`<p>${line}</p>`),
    again === undefined ? '' : html`<a href="${again}">Try again</a>`,
  ])
}

/** The question as HTML, with a form that goes on. */
export async function renderQuestion(question: Question): Promise<string> {
  const { asker, workspace, user, provider, host, scopes, action } = question
  const title = `Give access to ${provider}?`
  const facts = [
    ['Who asks', asker],
    ['Workspace', workspace],
    ['For the user', user],
    ['Access to', `${provider} (${host})`],
    ['Scopes', scopes.join(', ') || 'as the provider decides'],
  ]
  return frame(title, [
    html`<h1>${title}</h1>`,
    html`<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`,
    html`<p>Continue only if you are this user and have asked for this yourself. Otherwise somebody else gets access to your account.</p>`,
    html`<form method="post" action="${action}"><button type="submit">Continue</button></form>`,
  ])
}

type Part = ReturnType<typeof html> | string

async function frame(title: string, parts: Part[]): Promise<string> {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
${parts}
<footer>Runyard</footer>
</main>
</body>
</html>
`
  return String(await page)
}
