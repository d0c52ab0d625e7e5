/** A real Chromium for tests, as Debian has it. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const path = PATHS.find(existsSync)

/** Why there is none on this machine. */
export const NO_BROWSER = path ? undefined : `there is none of ${PATHS.join(', ')}`

export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(path && { executablePath: path }),
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
