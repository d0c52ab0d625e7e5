/** A real Chromium for tests, as Debian has it. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const path = PATHS.find(existsSync)
const LEANER = resolve(import.meta.dirname, 'chromium.sh')

/** Why there is none on this machine. */
export const NO_BROWSER = path ? undefined : `there is none of ${PATHS.join(', ')}`

export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(path && { executablePath: LEANER, env: { ...process.env, CHROMIUM: path } }),
    timeout: 180_000,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
