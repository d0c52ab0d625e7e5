// Loads the page again where its scripts or styles could not be loaded: the network has changed meanwhile, or the server
// was just being started. It is a file beside the app, since without the app's scripts the page would stay empty.
const KEY = 'runyard.loaded-again'
const MOST = 3
const WITHIN_MS = 60_000
const PAUSE_MS = 1_000

let isOver = false

addEventListener('error', ({ target }) => isPart(target) && loadAgain(), true)

function isPart(target) {
  if (target instanceof HTMLScriptElement) return true
  return target instanceof HTMLLinkElement && target.rel === 'stylesheet'
}

function loadAgain() {
  if (isOver) return
  isOver = true
  const now = Date.now()
  const before = JSON.parse(sessionStorage.getItem(KEY) ?? '[]').filter(
    (at) => now - at < WITHIN_MS,
  )
  sessionStorage.setItem(KEY, JSON.stringify([...before, now]))
  if (before.length < MOST) setTimeout(() => location.reload(), PAUSE_MS)
  else if (document.readyState === 'complete') sayWhy()
  else addEventListener('load', sayWhy)
}

function sayWhy() {
  const root = document.getElementById('root')
  if (root?.childElementCount === 0) {
    root.textContent =
      'The dashboard could not be loaded. Look whether Runyard answers, and load the page again.'
  }
}
